import { onTestFinished } from 'vitest';
import { at } from '#lib/table/read.ts';
import { emailRecord, userRecord } from '#lib/table/records/user.ts';
import { put, remove, transact, update } from '#lib/table/write.ts';
import { type Api, sessionOf, startApi, useApi } from '../api.ts';
import { shared } from '../fixtures.ts';
import { type NameServer, sharedNameServer } from '../name-server.ts';
import { type Person, seedPerson, testPassword } from '../people.ts';
import { expectStatus } from '../sample-requests.ts';
import { type HostileProvider, startHostileProvider } from './hostile-provider.ts';
import { type Account, type OpenIdProvider, startOpenIdProvider } from './open-id-provider.ts';
import { newDomain, openCompany, redirectUriOf } from './sign-in.ts';

export type Company = Awaited<ReturnType<typeof openCompany>>;

/** The service, a name server, and an identity provider at which this person signs in, for a test file. */
export function useSignIn(
  person: Record<string, unknown>,
  settings: Record<string, string> = {},
): { api: Api; names: NameServer; provider: HostileProvider } {
  const api = useApi(() => startApi(settings));
  return { api, names: shared(sharedNameServer), provider: shared(() => startHostileProvider(person)) };
}

/** The same with an identity provider that this project didn't write. */
export function useOpenIdProvider(
  options: Partial<Parameters<typeof startOpenIdProvider>[0]> = {},
  settings: Record<string, string> = {},
): { api: Api; names: NameServer; provider: OpenIdProvider } {
  const api = useApi(() => startApi(settings));
  const start = () => startOpenIdProvider({ redirectUri: redirectUriOf(api), accounts: {}, ...options });
  return { api, names: shared(sharedNameServer), provider: shared(start) };
}

let hired = 0;

/** Somebody new with an address in the domain, who can sign in with the provider. @returns the name on their button */
export function hire({ accounts }: OpenIdProvider, domain: string, changes: Partial<Account> = {}): string {
  hired += 1;
  const name = `person-${hired}`;
  accounts[name] = { sub: `sub-${hired}`, email: `${name}@${domain}`, email_verified: true, ...changes };
  return name;
}

/** A session of the person's own log-in, without a second factor. */
export async function logInAs(api: Api, { email }: Pick<Person, 'email'>, password = testPassword) {
  return sessionOf(await expectStatus(api.post('/auth/login', { email, password }), 200));
}

/** A company whose own provider signs in the named person of its domain, until the running test ends. */
export async function openOwnCompany(
  { api, names }: { api: Api; names: NameServer },
  name: string,
  { claims = {}, ...changes }: Record<string, unknown> & { claims?: Record<string, unknown> } = {},
): Promise<Company & { provider: HostileProvider; email: string }> {
  const domain = newDomain();
  const email = `${name}@${domain}`;
  const provider = await startHostileProvider({ sub: name, email, email_verified: true, ...claims });
  onTestFinished(() => provider.stop());
  return { ...(await openCompany(api, names, provider, { domain, ...changes })), provider, email };
}

let colleagues = 0;

/** Somebody with an account and a password whose verified address is in the company's domain. */
export async function seedColleague({ domain }: Pick<Company, 'domain'>, name?: string): Promise<Person> {
  const person = await seedPerson();
  colleagues += 1;
  const email = `${name ?? `colleague-${colleagues}`}@${domain}`;
  await transact([
    remove(at(emailRecord, person.email)),
    put(at(emailRecord, email), { userId: person.user.id }),
    update(at(userRecord, person.user.id), { set: { email, emailVerified: true } }),
  ]);
  return { ...person, email };
}
