import { randomBytes, randomUUID } from 'node:crypto';
import { newLink } from '#lib/accounts/account-link.ts';
import { verificationKeys } from '#lib/contracts/fields/verification-keys.ts';
import { at, find } from '#lib/table/read.ts';
import { issuerKeysRecord } from '#lib/table/records/identity.ts';
import { domainRecord, personOf, signInRecord } from '#lib/table/records/sign-in.ts';
import { put, transact } from '#lib/table/write.ts';
import type { Api } from '../api.ts';
import { type Person, seedPerson } from '../people.ts';
import type { SampleRequest } from '../sample-requests.ts';
import { openBrowser } from './browser.ts';
import { type HostileProvider, startHostileProvider } from './hostile-provider.ts';
import { goToProvider, newDomain } from './sign-in.ts';

let sampleProvider: Promise<HostileProvider> | undefined;

export interface PlaceWithProvider extends Person {
  slug: string;
  domain: string;
  signInPath: string;
  provider: HostileProvider;
}

/** An organization with a sign-in provider, whose keys the service knows already. */
export async function placeWithProvider({ isVerified = true } = {}): Promise<PlaceWithProvider> {
  sampleProvider ??= startHostileProvider({}, { isShared: true, clientSecret: '' });
  const [provider, person] = await Promise.all([sampleProvider, seedPerson({ emailVerified: true })]);
  const { id, slug } = person.organization;
  const domain = newDomain();
  const now = Date.now();
  const verifiedAt = isVerified ? new Date(now).toISOString() : null;
  await transact([
    put(at(signInRecord, slug), {
      organizationId: id,
      version: randomUUID(),
      clientVersion: randomUUID(),
      issuer: provider.url,
      clientId: provider.client.clientId,
      domains: [{ domain, token: randomBytes(20).toString('hex'), verifiedAt }],
      defaultRole: 'viewer',
      required: false,
      trustFactor: false,
      updatedAt: new Date(now).toISOString(),
    }),
    ...(verifiedAt === null ? [] : [put(at(domainRecord, domain), { organizationId: id, orgSlug: slug, verifiedAt })]),
  ]);
  const [key] = provider.keys;
  await transact([
    put(at(issuerKeysRecord, provider.url), {
      issuer: provider.url,
      keys: verificationKeys({ keys: [key?.publicJwk] }),
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

/** The request of a browser that returns from the provider, at which such a person has signed in. */
export async function comesBack(
  api: Api,
  { slug, provider }: PlaceWithProvider,
  claims: Record<string, unknown>,
): Promise<SampleRequest> {
  const browser = openBrowser();
  const callback = await goToProvider(api, browser, slug, {}, state => provider.people.set(state, claims));
  return {
    method: 'GET',
    path: (callback.pathname + callback.search).slice('/v1'.length),
    headers: { cookie: browser.cookieHeader(callback) },
  };
}
