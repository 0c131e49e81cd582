import { describeMember } from '#lib/accounts/describe-member.ts';
import { endpoint } from '#lib/api/endpoint.ts';
import { getMember as contract } from '#lib/contracts/members/get-member.ts';
import { readRoster } from '#lib/organizations/members/read-roster.ts';

export const handler = endpoint(contract, {
  fetch: ({ params }) => readRoster(params.orgId),
  run: async ({ context, params, fetched }) => ({ body: await describeMember(context, params.id, fetched) }),
});
