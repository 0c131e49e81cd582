import { askForFactor } from '#lib/accounts/factors/challenge.ts';
import { readCredential } from '#lib/crypto/credentials.ts';
import { totpCode, totpStep } from '#lib/crypto/totp.ts';
import { factorMails } from '#lib/limits/rate-limits.ts';
import type { Key } from '#lib/table/entity.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, find, queryItems } from '#lib/table/read.ts';
import { sessionRecord } from '#lib/table/records/credentials.ts';
import { userRecord } from '#lib/table/records/user.ts';
import { remove, transact, update } from '#lib/table/write.ts';
import { type Api, sessionOf } from './api.ts';
import { type Authenticator, createAuthenticator } from './authenticator.ts';
import type { Person } from './people.ts';
import { expectStatus } from './sample-requests.ts';

export interface App {
  /** The code of the step this many steps after the current one. */
  code(steps?: number): string;
  recoveryCodes: string[];
}

export function fromBase32(text: string): Buffer {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...text].map(character => alphabet.indexOf(character).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2)));
}

/** Adds an authenticator app to the account. The code that confirmed it is used up; the next step's is not. */
export async function addApp(api: Api, { session, user }: Person): Promise<App> {
  const { secret } = (await expectStatus(api.post('/auth/totp', {}, session), 200)).body;
  const code = (steps = 0) => totpCode(fromBase32(secret), totpStep(Date.now()) + steps);
  const { recoveryCodes } = (await expectStatus(api.post('/auth/totp/confirm', { code: code() }, session), 200)).body;
  await forgetUsedCodes(user.id);
  return { code, recoveryCodes };
}

/** As if no code of the app had been used yet, so that a test doesn't have to wait for the next one. */
export async function forgetUsedCodes(userId: string): Promise<void> {
  await transact([update(at(userRecord, userId), { set: { 'totp.lastStep': 0 } })]);
}

/** As if the account's factors had been added more than seven days ago. */
export async function settleFactors(userId: string): Promise<void> {
  const links = (await queryItems(ranges.undoLinks(userId))) as unknown as Key[];
  await transact(links.map(({ pk, sk }) => remove({ key: { pk, sk } })));
}

/** As if the account had received no e-mail about its factors in the last hour. */
export async function forgetFactorMails(userId: string): Promise<void> {
  await transact([remove(factorMails(userId).item)]);
}

export async function addPasskey(
  api: Api,
  { session }: Pick<Person, 'session'>,
): Promise<{ authenticator: Authenticator; id: string; recoveryCodes?: string[] }> {
  const authenticator = createAuthenticator();
  const { challenge, publicKey } = (await expectStatus(api.post('/auth/passkeys/options', {}, session), 200)).body;
  const body = { challenge, name: 'laptop', passkey: authenticator.create(publicKey) };
  const { passkey, recoveryCodes } = (await expectStatus(api.post('/auth/passkeys', body, session), 201)).body;
  return { authenticator, id: passkey.id, recoveryCodes };
}

/** The response to a log-in with the correct password, without the half second that hashing takes. */
// biome-ignore lint/suspicious/noExplicitAny: tests read any member of it
export async function askedAtLogin({ user: { id } }: Person): Promise<any> {
  const user = await find(at(userRecord, id));
  if (user === undefined) throw new Error('The person is gone.');
  return (await askForFactor('log-in', user)).details;
}

export async function logInWithApp(api: Api, person: Person, app: App): Promise<{ cookie: string }> {
  const { challenge } = await askedAtLogin(person);
  const answer = await expectStatus(api.post('/auth/login/verify', { challenge, totp: app.code() }), 200);
  await forgetUsedCodes(person.user.id);
  return sessionOf(answer);
}

/** Makes the session as old as if its user had authenticated that long ago. */
export async function ageSession({ session, user }: Person, seconds: number): Promise<void> {
  const hash = readCredential(session.cookie.split('=')[1] as string)?.hash as string;
  const provedAt = new Date(Date.now() - seconds * 1000).toISOString();
  await transact([update(at(sessionRecord, user.id, hash), { set: { provedAt } })]);
}
