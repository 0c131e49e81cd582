import { randomUUID } from 'node:crypto';
import type { AccountContext } from '../../access/request-context.ts';
import { chunksOf } from '../../core/chunks-of.ts';
import { ApiError, invalidRequest, temporarilyUnavailable } from '../../core/errors.ts';
import { createRecoveryCodes } from '../../crypto/recovery-codes.ts';
import { type Counter, countOne } from '../../limits/count.ts';
import { factorMails, recoveryCodeRenewals } from '../../limits/rate-limits.ts';
import { type FactorAddition, type FactorChange, factorAddedMail, factorChangeMail } from '../../mail/account-mails.ts';
import { sendMail } from '../../mail/send-mail.ts';
import { canLogInWithFactor } from '../../organizations/break-glass.ts';
import { asRead, equals, isThere } from '../../table/expressions.ts';
import { at, find, readTogether } from '../../table/read.ts';
import { sessionRecord, type TokenRecord, tokenRecord } from '../../table/records/credentials.ts';
import {
  type Factor,
  type Factors,
  factorNames,
  factorsUnchanged,
  hasSecondFactor,
  type UserRecord,
  userRecord,
} from '../../table/records/user.ts';
import { asRevocation } from '../../table/revocations.ts';
import {
  check,
  maximumWritesPerTransaction,
  retryWithFreshRead,
  transact,
  update,
  type Write,
} from '../../table/write.ts';
import { newUndoLink } from '../mailed-link.ts';
import { sessionEnded } from '../sessions.ts';

interface Change {
  /** The changed attributes of the account; undefined removes one. */
  factors: Factors;
  writes: readonly Write[];
  undo?: readonly Write[];
  newRecoveryCodes?: true;
}

/** Read after the account: a token created since fails the condition on the account. */
export interface BeforeRemoval {
  tokens: readonly TokenRecord[];
  /** The checks that the user can be left without a log-in, for the transaction that removes the last one. */
  isDispensable: () => Promise<readonly Write[]>;
}

interface Options {
  limits?: readonly Counter[];
  removal?: { foreseen: BeforeRemoval; readAgain: () => Promise<BeforeRemoval> };
}

/**
 * Recorded on a new factor. Earlier releases also let a provider's session add one: an account with such a factor can't
 * become a platform administrator's.
 */
export const ownAddition = { ownAddition: true } as const;

/**
 * Adds a second factor. The first one comes with recovery codes, shown only once, and ends the other sessions. The user
 * is mailed a link that removes the factor again; if the mail can't be sent, no factor is added.
 * @throws unauthenticated if the session ended or the password changed meanwhile; rate_limited after too many mails to
 * the account; temporarily_unavailable if SES does not accept the mail
 */
export async function addFactor(
  context: AccountContext,
  what: FactorAddition,
  decide: (user: UserRecord) => Change & { added: Factor },
): Promise<string[] | undefined> {
  const { user } = context.principal;
  const link = await newUndoLink(user.id);
  const committed = await change(context, what, (current, number) => {
    const { added, writes, undo = [], ...rest } = decide(current);
    return { ...rest, writes: [link.write(added, number), ...writes], undo: [link.removal, ...undo] };
  });
  try {
    await sendMail(user.email, factorAddedMail(what, link.url));
  } catch (error) {
    const [userId, log] = [user.id, context.log];
    // This fails if another change has followed.
    await transact(committed?.undo ?? []).then(
      () => log.account('factor_taken_back', { userId }),
      failure => log.error('could not undo a second factor whose e-mail was not sent', failure, { userId }),
    );
    const message = 'The e-mail about it could not be sent, so nothing was added. Send the request again.';
    throw temporarilyUnavailable(message, error);
  }
  return committed?.recoveryCodes;
}

/**
 * Changes the account's second factors in any other way. Removing the last one also removes the recovery codes and
 * clears the second-factor flag of the account's tokens. The user gets an e-mail unless a limit or SES prevents it.
 * @returns new recovery codes in plain text, shown only once
 * @throws unauthenticated if the session ended or the password changed meanwhile; rate_limited by `limits`
 */
export async function changeFactors(
  context: AccountContext,
  what: Exclude<FactorChange, FactorAddition>,
  decide: (user: UserRecord) => Change | undefined,
  options: Options = {},
): Promise<string[] | undefined> {
  const { user } = context.principal;
  const committed = await change(context, what, decide, options);
  if (committed === undefined) return undefined;
  try {
    if (committed.mayMail) await sendMail(user.email, await factorChangeMail(what));
    else context.log.account('mail_dropped', { userId: user.id });
  } catch (error) {
    context.log.error('could not send the e-mail about a second factor', error, { userId: user.id });
  }
  return committed.recoveryCodes;
}

/** @throws invalid_request for an account without a factor that the codes could replace; rate_limited */
export async function renewRecoveryCodes(context: AccountContext): Promise<string[]> {
  const decide = (user: UserRecord) => {
    if (hasSecondFactor(user)) return { factors: {}, writes: [], newRecoveryCodes: true } as const;
    throw invalidRequest([{ path: '', message: 'add a passkey or an authenticator app first' }]);
  };
  const limits = [recoveryCodeRenewals(context.principal.user.id)];
  return (await changeFactors(context, 'recovery_codes_renewed', decide, { limits })) ?? [];
}

interface Committed {
  recoveryCodes: string[] | undefined;
  /** Works as long as the change is the account's last one. */
  undo: Write[];
  mayMail: boolean;
}

/** Makes one change, retried until it succeeds. Its `number` is the account's next one. */
async function change(
  context: AccountContext,
  what: FactorChange,
  decide: (user: UserRecord, number: number) => Change | undefined,
  { limits = [], removal }: Options = {},
): Promise<Committed | undefined> {
  const { user: authenticated, credential } = context.principal;
  if (credential.method !== 'session') throw sessionEnded();
  const session = at(sessionRecord, authenticated.id, credential.hash);
  const account = at(userRecord, authenticated.id);
  const isAddition = what.endsWith('_added');
  const id = randomUUID();
  const codes = createRecoveryCodes();
  let mayMail = true;
  let committed: Committed | undefined;

  const attempt = async (user: UserRecord, reads: BeforeRemoval | undefined) => {
    // An attempt that seemed to fail may have been executed late.
    if (committed !== undefined && user.factorChange?.id === id) return committed;
    const number = (user.factorChange?.number ?? 0) + 1;
    const planned = decide(user, number);
    if (planned === undefined) return undefined;
    const { factors, isLast, hasNewCodes } = factorsAfter(user, planned, number, codes.hashes);
    const sessionEpoch = isAddition ? epochAfterAddition(user) : user.sessionEpoch;
    const losesLogIn = canLogInWithFactor(user) && !canLogInWithFactor({ ...user, ...factors });
    const isOwn = { if: isThere, refused: sessionEnded };
    const set = { ...factors, factorChange: { number, id }, sessionEpoch };
    const unchanged = { ...factorsUnchanged(user), ...(isLast ? asRead(user, ['creations']) : {}) };
    const writes = [
      update(account, { set, add: isLast ? { creations: 1 } : {} }, { if: unchanged }),
      // A session that adds a factor has just used it.
      isAddition ? update(session, { set: { secondFactor: true, epoch: sessionEpoch } }, isOwn) : check(session, isOwn),
      ...planned.writes,
      ...(losesLogIn ? ((await reads?.isDispensable()) ?? []) : []),
      ...(mayMail ? countOne(factorMails(user.id)) : []),
      ...limits.flatMap(countOne),
    ];
    const listed = isAddition ? writes : asRevocation(writes);
    const changed = factorNames.filter(name => name in factors);
    const previous: Factors = Object.fromEntries(changed.map(name => [name, user[name]]));
    committed = {
      recoveryCodes: hasNewCodes ? codes.codes : undefined,
      undo: [update(account, { set: previous }, { if: { 'factorChange.id': equals(id) } }), ...(planned.undo ?? [])],
      mayMail,
    };
    const flagged = isLast ? (reads?.tokens ?? []).filter(({ secondFactor }) => secondFactor) : [];
    const items = flagged.map(({ hash }) => at(tokenRecord, user.id, hash));
    const unflagging = items.map(item => update(item, { set: { secondFactor: false } }, { if: isThere }));
    // A token that loses its flag too early is only rejected where a factor is required, and can be replaced.
    const space = maximumWritesPerTransaction - listed.length;
    for (const chunk of chunksOf(maximumWritesPerTransaction, unflagging.slice(space))) await transact(chunk);
    await transact([...listed, ...unflagging.slice(0, space)]);
    return committed;
  };

  const readAgain = async () => {
    const current = await readTogether({ user: account, session });
    // The first factor ends the account's other sessions and raises the epoch of the one that added it.
    if (current.user === undefined || current.session?.epoch !== current.user.sessionEpoch) throw sessionEnded();
    return { user: current.user, reads: await removal?.readAgain() };
  };
  const foreseen = { user: authenticated, reads: removal?.foreseen };
  const result = await retryWithFreshRead(foreseen, readAgain, async ({ user, reads }) => {
    try {
      return await attempt(user, reads);
    } catch (error) {
      if (!(error instanceof ApiError) || committed === undefined) throw error;
      if ((await find(account))?.factorChange?.id === id) return committed;
      // The e-mail limit must not keep users from removing a factor.
      if (error.code !== 'rate_limited' || !mayMail || isAddition) throw error;
      mayMail = false;
      return attempt(user, reads);
    }
  });
  if (result !== undefined) context.log.account(what, { userId: authenticated.id });
  return result;
}

/** Recovery codes come with the first factor and go with the last one. `number` is that of the change. */
function factorsAfter(user: UserRecord, { factors, newRecoveryCodes }: Change, number: number, hashes: Set<string>) {
  const hadFactor = hasSecondFactor(user);
  const hasFactor = hasSecondFactor({ ...user, ...factors });
  const hasNewCodes = newRecoveryCodes === true || (hasFactor && !hadFactor);
  const newCodes = hasNewCodes ? { recoveryCodes: hashes, recoveryCodesFrom: number } : {};
  const noCodes = hasFactor ? {} : { recoveryCodes: undefined, recoveryCodesFrom: undefined };
  const changed: Factors = { ...factors, ...newCodes, ...noCodes };
  return { factors: changed, isLast: hadFactor && !hasFactor, hasNewCodes };
}

/** The account's epoch once a factor is added. The first one ends the other sessions. */
export function epochAfterAddition(user: UserRecord): number {
  return user.sessionEpoch + (hasSecondFactor(user) ? 0 : 1);
}
