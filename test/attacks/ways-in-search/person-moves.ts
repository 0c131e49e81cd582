import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { wrongCodes } from '#lib/limits/rate-limits.ts';
import { remove as removeItem, transact } from '#lib/table/write.ts';
import { type Answer, type Caller, nowSeconds, sessionOf } from '#test/support/api.ts';
import { testPassword } from '#test/support/people.ts';
import { expectStatus, mailedToken, memberIdOf } from '#test/support/sample-requests.ts';
import { addApp, forgetFactorMails, forgetUsedCodes } from '#test/support/second-factors.ts';
import { answerFactor, logInIn, requestIn, sessionIn, signIn } from '#test/support/sign-in/sign-in.ts';
import { type Company, endOf, ownerOf, type Trial } from './world.ts';

/* What the person and the companies do. Each returns how it ended: 'ok', or why not. */

const password = () => `${testPassword} ${Math.random()}`;

/** What the provider says about the person. */
export function sayPerson({ company, email }: Trial, sub: string, amr: string[] = []): void {
  const claims = { auth_time: nowSeconds(), amr };
  company.provider.script = { person: { sub, email, email_verified: true }, claims };
}

export async function register(trial: Trial, verifies = trial.random() < 0.8): Promise<string> {
  const { api, email } = trial;
  const answer = await api.post('/auth/register', { email, password: testPassword });
  if (answer.status !== 201) return endOf(answer);
  const { user, organization } = answer.body;
  Object.assign(trial, { userId: user.id, ownId: organization.id, password: testPassword, remembered: testPassword });
  if (verifies) await verify(trial);
  return 'ok';
}

export async function verify(trial: Trial): Promise<string> {
  if (trial.ownId === undefined || trial.isVerified) return 'nothing to verify';
  const { api } = trial;
  const answer = await api.post('/auth/verify-email', { token: await mailedToken(api, trial.email, 'Verify') });
  if (answer.status === 200) trial.isVerified = true;
  return endOf(answer);
}

/** An own session in the person's browser, which makes the link that waits there. */
export async function logIn(trial: Trial): Promise<NonNullable<Caller> | undefined> {
  const { api, browser, userId } = trial;
  if (userId === undefined) return undefined;
  let answer = await logInIn(api, browser, trial.email, trial.remembered);
  if (answer.body.error?.code === 'second_factor_required' && trial.app !== undefined) {
    await forgetUsedCodes(userId);
    const { challenge } = answer.body.error.details;
    answer = await requestIn(api, browser, '/auth/login/verify', { challenge, totp: trial.app.code() });
  }
  if (answer.status !== 200) return undefined;
  const session = sessionIn(api, browser);
  if (trial.isLinkPending) {
    trial.isLinkPending = false;
    const { links } = (await expectStatus(api.get('/auth/providers', session), 200)).body;
    const isLinked = ({ organization }: { organization: { id: string } }) => organization.id === trial.company.id;
    if (links.some(isLinked)) trial.isLinked = true;
    await forgetFactorMails(userId);
  }
  return session;
}

async function inOwnSession(trial: Trial, act: (session: Caller) => Promise<string>): Promise<string> {
  const session = await logIn(trial);
  return session === undefined ? 'cannot log in' : act(session);
}

const logInAgain = (trial: Trial) => inOwnSession(trial, async () => 'ok');

function addOwnApp(trial: Trial): Promise<string> {
  return inOwnSession(trial, async session => {
    if (!trial.isVerified) return 'not verified';
    const isFirst = trial.app === undefined;
    const person = { session: session as { cookie: string }, user: { id: trial.userId as string } };
    trial.app = await addApp(trial.api, person as Parameters<typeof addApp>[1]);
    if (isFirst) trial.eras.sessions += 1;
    await forgetFactorMails(person.user.id);
    return 'ok';
  });
}

function removeOwnApp(trial: Trial): Promise<string> {
  if (trial.app === undefined) return Promise.resolve('has none');
  return inOwnSession(trial, async session => {
    const answer = await trial.api.delete('/auth/totp', session);
    if (answer.status === 200) trial.app = undefined;
    await forgetFactorMails(trial.userId as string);
    return endOf(answer);
  });
}

/** Gets the account back by the mailbox. @throws Error if that fails: it must always be possible */
export async function recover(trial: Trial): Promise<string> {
  if (trial.userId === undefined) return 'no account';
  const undoes = async () => {
    for (const token of trial.thief.undoTokens) {
      await expectStatus(trial.api.post('/auth/factors/undo', { token }), 200);
      await forgetFactorMails(trial.userId as string);
    }
    Object.assign(trial.thief, { undoTokens: [], app: undefined, passkey: undefined });
  };
  const steps = trial.random() < 0.5 ? [undoes, () => reset(trial)] : [() => reset(trial), undoes];
  for (const step of steps) await step();
  for (const era of ['recoveries', 'sessions', 'links'] as const) trial.eras[era] += 1;
  Object.assign(trial, { isLinked: false, isVerified: true });
  // As if a quarter of an hour had passed: until then, the thief's wrong codes keep everybody out.
  await transact([removeItem(wrongCodes(trial.userId).item)]);
  const session = await logIn(trial);
  const answer = await trial.api.get('/auth/passkeys', session);
  if (answer.status !== 200) throw new Error(`The person is locked out after the recovery: ${endOf(answer)}.`);
  return 'ok';
}

async function reset(trial: Trial): Promise<void> {
  const { api } = trial;
  const newPassword = password();
  const mails = async () =>
    (await api.mails()).filter(({ to, subject }) => to === trial.email && /Reset/.test(subject));
  const before = (await mails()).length;
  await expectStatus(api.post('/auth/forgot-password', { email: trial.email }), 200);
  while ((await mails()).length === before) await new Promise(resolve => setTimeout(resolve, 10));
  const token = await mailedToken(api, trial.email, 'Reset');
  await expectStatus(api.post('/auth/reset-password', { token, newPassword }), 200);
  Object.assign(trial, { password: newPassword, remembered: newPassword });
}

async function signInAtWork(trial: Trial): Promise<string> {
  const { api, browser, company } = trial;
  sayPerson(trial, trial.subject);
  let { error } = await signIn(api, browser, company.slug);
  if (error === 'link_required') {
    trial.isLinkPending = true;
    if (trial.random() < 0.3 || (await logIn(trial)) === undefined) return error;
    sayPerson(trial, trial.subject);
    error = (await signIn(api, browser, company.slug)).error;
  }
  if (error === 'second_factor_required' && trial.app !== undefined) {
    await forgetUsedCodes(trial.userId as string);
    const answer = await answerFactor(api, browser, trial.app);
    if (answer.status !== 200) return endOf(answer);
    error = undefined;
  }
  if (error !== undefined) return error;
  await noteSignIn(trial, sessionIn(api, browser));
  return 'ok';
}

/** After the provider let somebody in as the person. */
export async function noteSignIn(trial: Trial, session: Caller): Promise<void> {
  if (trial.userId === undefined) {
    const { user } = (await expectStatus(trial.api.get('/auth/me', session), 200)).body;
    Object.assign(trial, { userId: user.id, isLinked: true });
  }
  if (!trial.isGone) trial.isMember = true;
}

function endLinks(trial: Trial): Promise<string> {
  return inOwnSession(trial, async session => {
    const { api } = trial;
    const { links } = (await expectStatus(api.get('/auth/providers', session), 200)).body;
    if (links.length === 0) return 'has none';
    for (const { id } of links) await expectStatus(api.delete(`/auth/providers/${id}`, session), 200);
    endLink(trial);
    return 'ok';
  });
}

function endLink(trial: Trial): void {
  trial.isLinked = false;
  trial.eras.links += 1;
}

function endMembership(trial: Trial): void {
  endLink(trial);
  Object.assign(trial, { isMember: false, isGone: true });
  trial.eras.memberships += 1;
}

function leave(trial: Trial): Promise<string> {
  return inOwnSession(trial, async session => {
    const answer = await trial.api.delete(`/members/${trial.company.id}/me`, session);
    if (answer.status === 200) endMembership(trial);
    return endOf(answer);
  });
}

async function removePerson(trial: Trial): Promise<string> {
  const { api } = trial;
  const manager = { ...trial.company.owner, session: await ownerOf(trial.company) };
  const id = await memberIdOf(api, manager, { user: { id: trial.userId ?? '' } });
  if (id === undefined) return 'no member';
  const answer = await api.delete(`/members/${trial.company.id}/${id}`, manager.session);
  if (answer.status === 200) endMembership(trial);
  return endOf(answer);
}

export async function invite({ api, email }: Trial, company: Company): Promise<string | Answer> {
  const body = { email, role: 'developer' };
  const answer = await api.post(`/members/${company.id}/invite`, body, await ownerOf(company));
  return answer.status === 201 ? answer.body.token : answer;
}

export async function acceptWith(trial: Trial, company: Company, session: Caller): Promise<string> {
  const token = await invite(trial, company);
  if (typeof token !== 'string') return endOf(token);
  return endOf(await trial.api.post(`/members/invite/${token}/accept`, undefined, session));
}

export function accept(trial: Trial, company: Company): Promise<string> {
  return inOwnSession(trial, async session => {
    const ended = await acceptWith(trial, company, session);
    if (ended === 'ok') noteJoined(trial, company);
    return ended;
  });
}

export function noteJoined(trial: Trial, company: Company): void {
  if (company === trial.company) trial.isMember = true;
  else trial.isOtherMember = true;
}

/** Their session through the provider opens the whole account once their own password is proved in it. */
async function liftOwnSession(trial: Trial): Promise<string> {
  const { api } = trial;
  const ended = await signInAtWork(trial);
  if (ended !== 'ok' || trial.password === undefined) return ended;
  if (trial.app !== undefined) await forgetUsedCodes(trial.userId as string);
  const body = { password: trial.remembered, ...(trial.app === undefined ? {} : { totp: trial.app.code() }) };
  const answer = await api.post('/auth/step-up', body, sessionIn(api, trial.browser));
  if (answer.status !== 200) return endOf(answer);
  const passkeys = await api.get('/auth/passkeys', sessionOf(answer));
  return endOf(passkeys);
}

const command = join(import.meta.dirname, '../../../infra/commands/grant-admin.ts');

async function makeAdmin(trial: Trial): Promise<string> {
  if (trial.random() < 0.7) return 'not now';
  const env = { PATH: process.env.PATH, PORT: new URL(trial.api.url).port };
  const granted = await promisify(execFile)(process.execPath, [command, trial.email], { env }).catch(
    (error: { stderr: string }) => error,
  );
  if (granted.stderr !== '') return granted.stderr.split('\n')[0] as string;
  trial.isAdmin = true;
  endLink(trial);
  return 'ok';
}

export const personMoves = {
  'the person registers': trial => register(trial),
  'the person verifies the address': verify,
  'the person logs in': logInAgain,
  'the person adds an app': addOwnApp,
  'the person removes the app': removeOwnApp,
  'the person recovers the account': recover,
  'the person signs in at work': signInAtWork,
  'the person lifts their session at work': liftOwnSession,
  'the person ends links': endLinks,
  'the person leaves': leave,
  'the company removes the person': removePerson,
  'the company invites the person, who accepts': trial => accept(trial, trial.company),
  'the other company invites the person, who accepts': trial => accept(trial, trial.other),
  'the platform makes the person an administrator': makeAdmin,
} as const satisfies Record<string, (trial: Trial) => Promise<string>>;
