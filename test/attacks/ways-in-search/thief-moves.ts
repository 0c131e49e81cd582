import { type Answer, sessionOf } from '#test/support/api.ts';
import { createAuthenticator } from '#test/support/authenticator.ts';
import { testPassword } from '#test/support/people.ts';
import { mailedToken } from '#test/support/sample-requests.ts';
import { addApp, addPasskey, forgetFactorMails, forgetUsedCodes } from '#test/support/second-factors.ts';
import { openBrowser } from '#test/support/sign-in/browser.ts';
import { newDomain, sessionIn, settingsOf, signIn } from '#test/support/sign-in/sign-in.ts';
import { mayOpen } from './oracle.ts';
import { acceptWith, noteJoined, noteSignIn, sayPerson } from './person-moves.ts';
import { endOf, type Held, hasFactor, hold, type Trial } from './world.ts';

/* What the thief does. Each returns how it ended: 'ok', or why not; and notes a violation if it should not have. */

const wrong = 'a guess that is wrong';

/** Whether the sessions of the thief end with another way in that the session made. */
function endOthers(trial: Trial, held: Held): void {
  trial.eras.sessions += 1;
  held.eras.sessions = trial.eras.sessions;
}

function refuse(trial: Trial, ended: string, isAllowed: boolean, what: string): string {
  if (ended === 'ok' && !isAllowed) trial.violations.push(what);
  return ended;
}

async function logIn(trial: Trial): Promise<string> {
  const { api, thief, userId } = trial;
  if (userId === undefined) return 'no account';
  const code = trial.stolen === 'app' ? trial.app : thief.app;
  let answer = await api.post('/auth/login', { email: trial.email, password: thief.password ?? wrong });
  let usedFactor = false;
  if (answer.body.error?.code === 'second_factor_required') {
    const { challenge, publicKey } = answer.body.error.details;
    await forgetUsedCodes(userId).catch(() => undefined);
    const factor =
      thief.passkey !== undefined && publicKey !== undefined
        ? { passkey: thief.passkey.get(publicKey) }
        : { totp: code?.code() ?? '000000' };
    answer = await api.post('/auth/login/verify', { challenge, ...factor });
    usedFactor = true;
  }
  if (answer.status !== 200) return endOf(answer);
  const isAllowed =
    thief.password !== undefined && thief.password === trial.password && (!hasFactor(trial) || usedFactor);
  hold(trial, sessionOf(answer), { name: 'a session by password', via: 'own credential', hasFactor: usedFactor });
  return refuse(trial, 'ok', isAllowed, 'logged in');
}

async function signInAs(trial: Trial, subject: string): Promise<string> {
  if (trial.stolen !== 'provider') return 'has no provider';
  const { api } = trial;
  const browser = openBrowser();
  const isNew = trial.userId === undefined;
  sayPerson(trial, subject, ['mfa']);
  const { error, session } = await signIn(api, browser, trial.company.slug);
  if (error !== undefined || session === undefined) return error ?? 'no session';
  await noteSignIn(trial, session);
  if (isNew) trial.subject = subject;
  trial.thief.browser = browser;
  const held = hold(trial, session, { name: `a session through the provider`, via: 'provider' });
  return refuse(trial, 'ok', mayOpen(trial, held, 'company'), 'signed in with the provider');
}

async function stepUpAtProvider(trial: Trial): Promise<string> {
  const { browser } = trial.thief;
  if (browser === undefined) return 'has no session';
  sayPerson(trial, trial.subject, ['mfa']);
  const { error } = await signIn(trial.api, browser, trial.company.slug, { stepUp: 'true' });
  if (error !== undefined) return error;
  const session = sessionIn(trial.api, browser);
  if (session === undefined) return 'no session';
  const held = hold(trial, session, { name: 'a stepped-up session', via: 'provider' });
  return refuse(trial, 'ok', mayOpen(trial, held, 'company'), 'stepped up with the provider');
}

async function withEach(trial: Trial, act: (held: Held) => Promise<string>): Promise<string> {
  let ended = 'holds nothing';
  for (const held of trial.thief.held.toReversed()) {
    ended = await act(held);
    if (ended === 'ok') return ended;
  }
  return ended;
}

const guess = (trial: Trial) =>
  withEach(trial, async ({ caller }) => {
    const answer = await trial.api.post('/auth/step-up', { password: wrong }, caller);
    return refuse(trial, endOf(answer), false, 'stepped up with a wrong password');
  });

function addFactor(trial: Trial): Promise<string> {
  const { api, thief, userId } = trial;
  return withEach(trial, async held => {
    if (held.kind === 'token' || userId === undefined) return 'has no session';
    const isFirst = !hasFactor(trial);
    const isAllowed = mayOpen(trial, held, 'fresh account');
    const session = held.caller as { cookie: string };
    try {
      if (trial.random() < 0.5) {
        thief.app = await addApp(api, { session, user: { id: userId } } as Parameters<typeof addApp>[1]);
      } else thief.passkey = (await addPasskey(api, { session })).authenticator;
    } catch (error) {
      const { message } = error as Error;
      if (/"code":"/.test(message)) return /"code":"(\w+)"/.exec(message)?.[1] as string;
      throw error;
    }
    thief.undoTokens.push(await mailedToken(api, trial.email, 'Your log-in'));
    held.hasFactor = true;
    if (isFirst) endOthers(trial, held);
    await forgetFactorMails(userId);
    return refuse(trial, 'ok', isAllowed, `${held.name} added a factor`);
  });
}

function makeToken(trial: Trial, isOfCompany: boolean): Promise<string> {
  return withEach(trial, async held => {
    const body = { name: 't', access: 'full', ...(isOfCompany ? { organizationId: trial.company.id } : {}) };
    const answer = await trial.api.post('/auth/token', body, held.caller);
    if (answer.status !== 201) return endOf(answer);
    const isAllowed =
      held.via === 'provider'
        ? isOfCompany && trial.isLinked && trial.isMember
        : mayOpen(trial, held, 'fresh account') && (!isOfCompany || trial.isMember);
    const { via } = held;
    const name = `a token of ${held.name}`;
    hold(trial, { token: answer.body.token }, { name, via, isOfCompany, hasFactor: held.hasFactor });
    return refuse(trial, 'ok', isAllowed, `${held.name} made a token`);
  });
}

const setOwnProvider = (trial: Trial) =>
  withEach(trial, async held => {
    if (trial.ownId === undefined) return 'no organization';
    const body = settingsOf(trial.company.provider, newDomain());
    const answer = await trial.api.put(`/orgs/${trial.ownId}/sign-in`, body, held.caller);
    const isAllowed = mayOpen(trial, held, 'fresh account') && mayOpen(trial, held, 'own organization');
    return refuse(trial, endOf(answer), isAllowed, `${held.name} set a provider`);
  });

const changePassword = (trial: Trial) =>
  withEach(trial, async held => {
    const { thief } = trial;
    const newPassword = `${testPassword} of the thief ${Math.random()}`;
    const body = { currentPassword: thief.password ?? wrong, newPassword };
    const answer = await trial.api.post('/auth/change-password', body, held.caller);
    if (answer.status !== 200) return endOf(answer);
    const isAllowed = thief.password === trial.password && mayOpen(trial, held, 'account');
    Object.assign(trial, { password: newPassword });
    thief.password = newPassword;
    endOthers(trial, held);
    return refuse(trial, 'ok', isAllowed, `${held.name} changed the password`);
  });

/** With a link that the company or the mailbox gave away. */
const acceptInvitation = (trial: Trial) =>
  withEach(trial, async held => {
    const company = trial.random() < 0.5 ? trial.company : trial.other;
    const ended = await acceptWith(trial, company, held.caller);
    if (ended !== 'ok') return ended;
    const isBack = company === trial.company && trial.isGone;
    const door = held.kind === 'token' && !isBack ? 'own organization' : 'account';
    const isAllowed = held.via === 'own credential' && mayOpen(trial, held, door);
    if (isAllowed) noteJoined(trial, company);
    return refuse(trial, ended, isAllowed, `${held.name} accepted an invitation`);
  });

async function presentPasskey(trial: Trial): Promise<string> {
  const { api } = trial;
  const passkey = createAuthenticator();
  const { challenge, publicKey } = (await api.post('/auth/login/options', {})).body;
  const userHandle = Buffer.from(trial.userId ?? 'nobody').toString('base64url');
  const answer: Answer = await api.post('/auth/login/verify', {
    challenge,
    passkey: passkey.get(publicKey, { userHandle }),
  });
  return refuse(trial, endOf(answer), false, 'logged in with a passkey that the account does not have');
}

export const thiefMoves = {
  'the thief logs in': logIn,
  'the thief signs in as the person': trial => signInAs(trial, trial.subject),
  'the thief signs in with the person’s address': trial => signInAs(trial, `${trial.subject} too`),
  'the thief steps up at the provider': stepUpAtProvider,
  'the thief guesses the password': guess,
  'the thief adds a factor': addFactor,
  'the thief makes a token': trial => makeToken(trial, false),
  'the thief makes a token of the company': trial => makeToken(trial, true),
  'the thief sets a provider in the own organization': setOwnProvider,
  'the thief changes the password': changePassword,
  'the thief accepts an invitation': acceptInvitation,
  'the thief presents a passkey': presentPasskey,
} as const satisfies Record<string, (trial: Trial) => Promise<string>>;
