import { randomBytes, randomUUID } from 'node:crypto';
import { newLink } from '#lib/accounts/account-link.ts';
import { verificationKeys } from '#lib/contracts/fields/verification-keys.ts';
import { at, find } from '#lib/table/read.ts';
import { issuerKeysRecord } from '#lib/table/records/issuer-keys.ts';
import { personOf } from '#lib/table/records/provider-link.ts';
import { domainRecord, signInRecord } from '#lib/table/records/sign-in.ts';
import { put, transact } from '#lib/table/write.ts';
import type { Api } from '../api.ts';
import { type Person, seedPerson } from '../people.ts';
import type { SampleRequest } from '../sample-requests.ts';
import { client, type SignInProvider, startIn, startSignInProvider } from '../sign-in-provider.ts';

let sampleProvider: Promise<SignInProvider> | undefined;

export interface PlaceWithProvider extends Person {
  slug: string;
  domain: string;
  signInPath: string;
  provider: SignInProvider;
}

/** An organization with a sign-in provider, whose keys the service knows already. */
export async function placeWithProvider({ isVerified = true } = {}): Promise<PlaceWithProvider> {
  sampleProvider ??= startSignInProvider({ isShared: true });
  const [provider, person] = await Promise.all([sampleProvider, seedPerson({ emailVerified: true })]);
  const { id, slug } = person.organization;
  const domain = `d${randomBytes(6).toString('hex')}.example`;
  const now = Date.now();
  const verifiedAt = isVerified ? new Date(now).toISOString() : null;
  await transact([
    put(at(signInRecord, slug), {
      organizationId: id,
      version: randomUUID(),
      clientVersion: randomUUID(),
      issuer: provider.url,
      clientId: client.id,
      domains: [{ domain, token: randomBytes(20).toString('hex'), verifiedAt }],
      defaultRole: 'viewer',
      required: false,
      trustFactor: false,
      updatedAt: new Date(now).toISOString(),
    }),
    ...(verifiedAt === null ? [] : [put(at(domainRecord, domain), { organizationId: id, orgSlug: slug, verifiedAt })]),
  ]);
  const { publicJwk } = provider.key;
  await transact([
    put(at(issuerKeysRecord, provider.url), {
      issuer: provider.url,
      keys: verificationKeys({ keys: [publicJwk] }),
      endpoints: {
        authorization: `${provider.url}/authorize`,
        token: `${provider.url}/token`,
        sendsIssuer: false,
        clientAuthentication: 'client_secret_basic',
      },
      fetchedAtMs: now,
      triedAtMs: now,
      endedAtMs: now,
      fetchId: randomUUID(),
      expiresAt: Math.ceil(now / 1000) + 86_400,
    }),
  ]);
  return { ...person, slug, domain, signInPath: `/orgs/${id}/sign-in`, provider };
}

/** What a link of the organization’s provider refers to. */
export async function pendingOf({ organization, slug, domain }: PlaceWithProvider) {
  const signIn = await find(at(signInRecord, slug));
  if (signIn === undefined) throw new Error('The place has no provider.');
  const { issuer, clientVersion } = signIn;
  return {
    organizationId: organization.id,
    orgSlug: slug,
    domain,
    issuer,
    clientVersion,
    person: personOf(issuer, randomUUID()),
    epoch: 0,
  };
}

export async function linkTo({ organization, slug, user, provider }: PlaceWithProvider, sub: string): Promise<void> {
  const target = {
    organizationId: organization.id,
    orgSlug: slug,
    issuer: provider.url,
    person: personOf(provider.url, sub),
  };
  await transact(newLink(user, target, { replaced: undefined }));
}

/** The request of a browser that comes back from the provider. */
export async function comesBack(
  api: Api,
  { slug, provider }: PlaceWithProvider,
  claims: object,
): Promise<SampleRequest> {
  const { state, nonce, cookie } = await startIn(api, slug);
  const code = provider.codeFor({ nonce, ...claims });
  return {
    method: 'GET',
    path: `/auth/provider/${slug}/callback?${new URLSearchParams({ state, code })}`,
    headers: { cookie },
  };
}
