import { randomUUID } from 'node:crypto';
import { newPendingLink } from '#lib/accounts/account-link.ts';
import { newChallenge } from '#lib/accounts/factors/challenge.ts';
import { requestOptions } from '#lib/accounts/factors/passkey-options.ts';
import { factorCookie } from '#lib/contracts/auth/credentials.ts';
import { totpCode, totpStep } from '#lib/crypto/totp.ts';
import { at, find } from '#lib/table/read.ts';
import { emailChangeRecord, emailRecord, userRecord } from '#lib/table/records/user.ts';
import { transact } from '#lib/table/write.ts';
import type { Api } from '#test/support/api.ts';
import { createAuthenticator } from '#test/support/authenticator.ts';
import { done, type Prepare, type Samples, sample } from '#test/support/derive-sample.ts';
import { newVerifier, offerToken } from '#test/support/hand-off.ts';
import { type Person, seedPerson, testPassword, testPasswordHash } from '#test/support/people.ts';
import { assertionOf, expectStatus, join, mailedToken, makeIdentity } from '#test/support/sample-requests.ts';
import { addApp, addPasskey, fromBase32 } from '#test/support/second-factors.ts';
import { comesBack, linkTo, pendingOf, placeWithProvider } from '#test/support/sign-in/place-with-provider.ts';
import { logInAs } from '#test/support/sign-in/scene.ts';

const company = () => placeWithProvider();
const withPasskey = async (api: Api) => {
  const owner = await seedPerson();
  return { ...owner, ...(await addPasskey(api, owner)) };
};
const withApp = async (api: Api) => {
  const owner = await seedPerson();
  return { ...owner, app: await addApp(api, owner) };
};
const linked = async () => {
  const there = await placeWithProvider();
  await linkTo(there, 'ada');
  return there;
};
const withToken = async (api: Api) => {
  const owner = await seedPerson();
  const body = { name: 'cli', organizationId: owner.organization.id };
  return { ...owner, ...(await expectStatus(api.post('/auth/token', body, owner.session), 201)).body } as Person & {
    token: string;
    cliToken: { id: string };
  };
};
const withName = async () => ({ ...(await seedPerson()), wanted: `name ${randomUUID()}` });

const withNewEmail = async () => ({ ...(await seedPerson()), newEmail: `${randomUUID()}@example.com` });
const withEmailChange = async (api: Api) => {
  const there = await withNewEmail();
  await expectStatus(api.post('/auth/change-email', { email: there.newEmail }, there.session), 200);
  return there;
};
/** A person who is a member of somebody else's organization. */
const withoutOrganization = async (api: Api) => {
  const [owner, person] = [await seedPerson({ emailVerified: true }), await seedPerson()];
  await expectStatus(api.delete(`/orgs/${person.organization.id}`, person.session), 202, 200);
  await join(api, owner, person, 'developer');
  return person;
};

const userOf = async ({ session }: Person, api: Api) =>
  (await expectStatus(api.get('/auth/me', session), 200)).body.user;
const storedUser = ({ user }: Person) => find(at(userRecord, user.id));
const hasEnded = async (api: Api, as: Parameters<Api['get']>[1]) => (await api.get('/auth/me', as)).status === 401;
const hasTwoSessions = async ({ session }: Person, api: Api) =>
  (await api.get('/auth/sessions', session)).body.sessions.length === 2;
const hasToken = async ({ session, wanted }: Person & { wanted: string }, api: Api) =>
  (await expectStatus(api.get('/auth/tokens', session), 200)).body.tokens.some(
    ({ name }: { name: string }) => name === wanted,
  );
const hasNewPassword = async (there: Person) => (await storedUser(there))?.passwordHash !== testPasswordHash;

const challengeFor = async (purpose: Parameters<typeof newChallenge>[0], { user: { id } }: Person) => {
  const { challenge, write } = newChallenge(purpose, { id, sessionEpoch: 1 });
  await transact([write]);
  return challenge;
};

interface Returning {
  there: Awaited<ReturnType<typeof company>>;
  claims: Record<string, unknown>;
  works: number[];
  isDone: () => Promise<boolean>;
}

/** A browser that returns from the provider can do so only once, so a repetition is another one. */
const returning =
  (prepare: (api: Api) => Promise<Returning>): Prepare =>
  async (_, api) => {
    const { there, claims, works, isDone } = await prepare(api);
    const again = () => comesBack(api, there, claims);
    return { request: await again(), again, works, repeats: [400], isDone };
  };

export const samples: Samples = {
  register: sample({
    world: async () => ({ ...(await seedPerson()), newEmail: `${randomUUID()}@example.com` }),
    body: ({ newEmail: email }) => ({ email, password: testPassword }),
    repeats: [409],
    isDone: async ({ newEmail }) => (await find(at(emailRecord, newEmail))) !== undefined,
  }),
  'log-in': sample({ body: ({ email }) => ({ email, password: testPassword }), isDone: done }),
  'log-in that makes a link': sample({
    world: async () => {
      const there = await placeWithProvider();
      const { cookie, write } = newPendingLink({ ...(await pendingOf(there)), userId: there.user.id });
      await transact([write]);
      return { ...there, cookie: cookie.split(';')[0] as string };
    },
    body: ({ email }) => ({ email, password: testPassword }),
    headers: ({ cookie }) => ({ cookie }),
    isDone: done,
  }),
  'start-passkey-login': sample({ isDone: done }),
  'complete-login': sample({
    world: withApp,
    body: async there => ({ challenge: await challengeFor('log-in', there), totp: there.app.code(1) }),
    repeats: [400, 401],
    isDone: hasTwoSessions,
  }),
  'complete-login with a passkey': sample({
    world: withPasskey,
    body: async ({ authenticator }, api) => {
      const { challenge, publicKey } = (await expectStatus(api.post('/auth/login/options', {}), 200)).body;
      return { challenge, passkey: authenticator.get(publicKey) };
    },
    repeats: [400, 401],
    isDone: hasTwoSessions,
  }),
  'find-sign-in-methods': sample({ world: company, query: ({ domain }) => `?email=nobody@${domain}` }),
  'start-provider-sign-in': sample({ world: company }),
  'complete-provider-sign-in': returning(async () => {
    const there = await placeWithProvider();
    const email = `${randomUUID()}@${there.domain}`;
    const isDone = async () => (await find(at(emailRecord, email))) !== undefined;
    return { there, claims: { sub: randomUUID(), email, email_verified: true }, works: [302], isDone };
  }),
  'complete-provider-sign-in of a linked account with a factor': returning(async api => {
    const there = await linked();
    await addApp(api, there);
    return { there, claims: { sub: 'ada' }, works: [401], isDone: done };
  }),
  'continue-provider-sign-in': sample({
    world: async api => {
      const there = await placeWithProvider();
      await addApp(api, there);
      return { ...there, challenge: await challengeFor('provider-log-in', there) };
    },
    headers: ({ challenge }) => ({ cookie: `${factorCookie}=${challenge}` }),
    isDone: done,
  }),
  'step-up': sample({
    // A code would have expired by the time that a slow run sends it.
    world: withPasskey,
    body: async there => {
      const challenge = await challengeFor('step-up', there);
      const passkey = there.authenticator.get(await requestOptions(challenge, []));
      return { password: testPassword, challenge, passkey };
    },
    // The old secret is gone.
    repeats: [400, 401],
    isDone: ({ session }, api) => hasEnded(api, session),
  }),
  'log-out': sample({ repeats: [401], isDone: ({ session }, api) => hasEnded(api, session) }),
  'create-token': sample({
    world: withName,
    body: ({ wanted: name, organization: { id: organizationId } }) => ({ name, organizationId }),
    isDone: hasToken,
  }),
  'hand-off-token offering': sample({
    body: ({ organization: { id: organizationId } }) => ({
      codeChallenge: newVerifier().codeChallenge,
      name: 'cli',
      organizationId,
    }),
    as: ({ session }) => session,
    isDone: done,
  }),
  'hand-off-token taking': sample({
    world: withName,
    body: async ({ wanted: name, organization: { id: organizationId }, session }, api) => {
      const { code, codeVerifier } = await offerToken(api, session, { name, organizationId });
      return { code, codeVerifier };
    },
    repeats: [400],
    isDone: hasToken,
  }),
  'revoke-token': sample({
    world: withToken,
    values: ({ cliToken: { id: tokenId } }) => ({ tokenId }),
    isDone: ({ token }, api) => hasEnded(api, { token }),
  }),
  'rename-user': sample({
    world: withName,
    body: ({ wanted: name }) => ({ name }),
    isDone: async (there, api) => (await userOf(there, api)).name === there.wanted,
  }),
  // The token is gone, or a concurrent request with it got further.
  'revoke-current-token': sample({
    world: withToken,
    as: ({ token }) => ({ token }),
    repeats: [401, 404],
    isDone: ({ token }, api) => hasEnded(api, { token }),
  }),
  'revoke-current-token identity': sample({
    world: async api => {
      const owner = await seedPerson();
      const assertion = await assertionOf(owner, (await makeIdentity(api, owner)).id);
      const { token } = (await expectStatus(api.post('/auth/exchange', assertion), 201)).body;
      return { ...owner, token: token as string };
    },
    as: ({ token }) => ({ token }),
    repeats: [401, 404],
    isDone: async ({ organization, token }, api) =>
      (await api.get(`/projects/${organization.id}`, { token })).status === 401,
  }),
  'list-provider-links': sample({ world: linked }),
  'end-provider-link': sample({
    world: linked,
    values: async ({ session }, api) => {
      const { links } = (await expectStatus(api.get('/auth/providers', session), 200)).body;
      return { linkId: links[0].id };
    },
  }),
  'end-session': sample({
    world: async api => {
      const owner = await seedPerson();
      return { ...owner, other: await logInAs(api, owner) };
    },
    values: async ({ other }, api) => {
      const { sessions } = (await expectStatus(api.get('/auth/sessions', other), 200)).body;
      return { sessionId: sessions.find(({ current }: { current: boolean }) => current).id };
    },
    isDone: ({ other }, api) => hasEnded(api, other),
  }),
  'start-passkey': sample({ isDone: done }),
  'add-passkey': sample({
    body: async ({ session }, api) => {
      const { challenge, publicKey } = (await expectStatus(api.post('/auth/passkeys/options', {}, session), 200)).body;
      return { challenge, name: 'laptop', passkey: createAuthenticator().create(publicKey) };
    },
    repeats: [400],
    isDone: async (there, api) => (await userOf(there, api)).secondFactors.passkeys === 1,
  }),
  'list-passkeys': sample({ world: withPasskey }),
  'remove-passkey': sample({
    world: withPasskey,
    values: ({ id: passkeyId }) => ({ passkeyId }),
    isDone: async (there, api) => (await userOf(there, api)).secondFactors.passkeys === 0,
  }),
  'start-totp': sample({ isDone: done }),
  'confirm-totp': sample({
    body: async ({ session }, api) => {
      const { secret } = (await expectStatus(api.post('/auth/totp', {}, session), 200)).body;
      // The next step's code, which is valid for longer.
      return { code: totpCode(fromBase32(secret), totpStep(Date.now()) + 1) };
    },
    // Once its recovery codes were returned, the same code confirms nothing.
    repeats: [200, 400],
    isDone: async (there, api) => (await userOf(there, api)).secondFactors.totp,
  }),
  'undo-factor': sample({
    world: withPasskey,
    body: async ({ email }, api) => ({ token: await mailedToken(api, email, 'Your log-in') }),
    repeats: [400],
    isDone: async there => (await storedUser(there))?.passkeyCount === undefined,
  }),
  'change-email': sample({
    world: withNewEmail,
    body: ({ newEmail: email }) => ({ email }),
    isDone: async there => (await find(at(emailChangeRecord, there.user.id)))?.email === there.newEmail,
  }),
  'confirm-email-change': sample({
    world: withEmailChange,
    body: async ({ newEmail }, api) => ({ token: await mailedToken(api, newEmail, 'Confirm your new') }),
    repeats: [400],
    isDone: async there => (await storedUser(there))?.email === there.newEmail,
  }),
  'undo-email-change': sample({
    world: withEmailChange,
    body: async ({ email }, api) => ({ token: await mailedToken(api, email, 'being changed') }),
    repeats: [400],
    isDone: async ({ session }, api) => hasEnded(api, session),
  }),
  'close-account': sample({
    world: withoutOrganization,
    body: () => ({ password: testPassword }),
    repeats: [401],
    isDone: async there => (await storedUser(there)) === undefined,
  }),
  'remove-totp': sample({
    world: withApp,
    repeats: [200],
    isDone: async (there, api) => !(await userOf(there, api)).secondFactors.totp,
  }),
  'renew-recovery-codes': sample({
    world: async api => {
      const there = await withApp(api);
      return { ...there, before: await codesOf(there) };
    },
    isDone: async there => (await codesOf(there)) !== there.before,
  }),
  'change-password': sample({
    body: () => ({ currentPassword: testPassword, newPassword: 'another fine battery' }),
    // By then the current password is the new one, or becomes it concurrently.
    repeats: [400, 401],
    isDone: hasNewPassword,
  }),
  'send-verification': sample({ isDone: done }),
  'verify-email': sample({
    body: async ({ email, session }, api) => {
      await expectStatus(api.post('/auth/send-verification', undefined, session), 200);
      return { token: await mailedToken(api, email, 'Verify') };
    },
    repeats: [400],
    isDone: async (there, api) => (await userOf(there, api)).emailVerified,
  }),
  'request-password-reset': sample({ body: ({ email }) => ({ email }), isDone: done }),
  'reset-password': sample({
    body: async ({ email }, api) => {
      await expectStatus(api.post('/auth/forgot-password', { email }), 200);
      return { token: await mailedToken(api, email, 'Reset'), newPassword: 'another fine battery' };
    },
    repeats: [400],
    isDone: hasNewPassword,
  }),
};

async function codesOf(there: Person): Promise<string> {
  return String([...((await storedUser(there))?.recoveryCodes ?? [])].toSorted());
}
