import { endpoint } from '#lib/api/endpoint.ts';
import { verifyDomain as contract } from '#lib/contracts/organizations/sign-in-settings.ts';
import { signInView } from '#lib/providers/provider.ts';
import { readBeforeVerifying, verifyDomain } from '#lib/providers/verify-domain.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readBeforeVerifying(params.orgId),
  run: async ({ context, body, fetched }) => ({
    body: { signIn: await signInView(await verifyDomain(context, body.domain, fetched), context.organization.slug) },
  }),
});
