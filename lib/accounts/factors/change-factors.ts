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
import { asRead, type Condition, equals, isThere } from '../../table/expressions.ts';
import { at, find, type Read, readTogether } from '../../table/read.ts';
import type { Factor } from '../../table/records/link.ts';
import { type SessionRecord, sessionRecord } from '../../table/records/session.ts';
import { type TokenRecord, tokenRecord } from '../../table/records/token.ts';
import {
  type Factors,
  factorNames,
  factorsUnchanged,
  hasSecondFactor,
  type UserRecord,
  userRecord,
} from '../../table/records/user.ts';
import {
  check,
  maximumWritesPerTransaction,
  retryWithFreshRead,
  transact,
  update,
  type Write,
} from '../../table/write.ts';
import { newUndoLink } from '../mailed-link.ts';
import { sessionEnded } from '../new-session.ts';

interface Change {
  /** The account's attributes after the change; undefined removes one. */
  factors: Factors;
  /** Other writes of the same transaction. */
  writes: readonly Write[];
  newRecoveryCodes?: true;
}

interface Addition extends Change {
  /** The added factor, as the link in the e-mail identifies it. */
  added: Factor;
  /** The writes that undo `writes`. */
  undo: readonly Write[];
}

interface Made {
  recoveryCodes: string[] | undefined;
  /** The writes that undo the change, as long as it is the last one. */
  undo: Write[];
  mayMail: boolean;
}

/**
 * Adds a second factor. The first one comes with recovery codes and ends the other sessions. The user gets a mail with a
 * link that removes the factor again; if it can't be sent, no factor is added.
 * @param decide returns the changes for the account's current state
 * @returns new recovery codes in plain text, shown only once
 * @throws unauthenticated if the session ended or the password changed in the meantime; rate_limited if the account has
 * been sent too many mails; temporarily_unavailable if SES does not accept the mail
 */
export async function addFactor(
  context: AccountContext,
  what: FactorAddition,
  decide: (user: UserRecord) => Addition,
): Promise<string[] | undefined> {
  const { user } = context.principal;
  const link = await newUndoLink(user.id);
  const decideAddition = async (current: UserRecord) => {
    const { added, writes, undo, ...rest } = decide(current);
    const number = (current.factorChange?.number ?? 0) + 1;
    return { ...rest, writes: [link.write(added, number), ...writes], undo: [link.removal, ...undo] };
  };
  const made = await change(context, { what, decide: decideAddition });
  try {
    await sendMail(user.email, factorAddedMail(what, link.url));
  } catch (error) {
    await takeBack(context, made?.undo ?? []);
    throw temporarilyUnavailable(
      'The e-mail about it could not be sent, so nothing was added. Send the request again.',
      error,
    );
  }
  return made?.recoveryCodes;
}

/**
 * Recorded on a new factor, which only an own credential adds. Earlier releases also let a provider's session add one: an
 * account with such a factor can't become a platform administrator's.
 */
export const ownAddition = { ownAddition: true } as const;

/**
 * Changes the account's second factors in any other way. Removing the last one also removes the recovery codes and clears
 * the second-factor flag of the account's tokens. The user gets an e-mail unless a limit or SES prevents it.
 * @param decide returns the changes for the account's current state; undefined if there are none
 * @param limits the rate limits that the change counts towards
 * @returns new recovery codes in plain text, shown only once
 * @throws unauthenticated if the session ended or the password changed in the meantime; rate_limited by `limits`
 */
export async function changeFactors(
  context: AccountContext,
  what: Exclude<FactorChange, FactorAddition>,
  decide: (user: UserRecord) => Change | undefined,
  { limits, removal }: { limits?: readonly Counter[]; removal?: RemovalReads } = {},
): Promise<string[] | undefined> {
  const { user } = context.principal;
  const made = await change(context, { what, decide, removal, ...(limits === undefined ? {} : { limits }) });
  if (made === undefined) return undefined;
  try {
    if (made.mayMail) await sendMail(user.email, await factorChangeMail(what));
    else context.log.account('mail_dropped', { userId: user.id });
  } catch (error) {
    context.log.error('could not send the e-mail about a second factor', error, { userId: user.id });
  }
  return made.recoveryCodes;
}

/** @throws invalid_request for an account without a factor that the codes could replace; rate_limited */
export async function renewRecoveryCodes(context: AccountContext): Promise<string[]> {
  const decide = (user: UserRecord) => {
    if (hasSecondFactor(user)) return { factors: {}, writes: [], newRecoveryCodes: true as const };
    throw invalidRequest([{ path: '', message: 'add a passkey or an authenticator app first' }]);
  };
  const limits = [recoveryCodeRenewals(context.principal.user.id)];
  return (await changeFactors(context, 'recovery_codes_renewed', decide, { limits })) ?? [];
}

/** One change to an account's factors, retried until it succeeds. */
interface Order {
  what: FactorChange;
  limits?: readonly Counter[];
  decide: (
    user: UserRecord,
  ) => (Change & { undo?: readonly Write[] }) | undefined | Promise<Change & { undo: Write[] }>;
  /** If a factor is removed. */
  removal?: RemovalReads | undefined;
}

/** Read after the account: creating another token then fails the condition on the account. */
interface RemovalReads {
  known: BeforeRemoval;
  readAgain: () => Promise<BeforeRemoval>;
}

/** What has to be known before a factor is removed. */
export interface BeforeRemoval {
  /** The account's tokens. */
  tokens: readonly TokenRecord[];
  /** The checks that the user can be left without such a log-in, for the transaction that removes the last one. */
  isDispensable: () => Promise<readonly Write[]>;
}

async function change(context: AccountContext, order: Order): Promise<Made | undefined> {
  const { user: before, credential } = context.principal;
  if (credential.method !== 'session') throw sessionEnded();
  const session = at(sessionRecord, before.id, credential.hash);
  const account = at(userRecord, before.id);
  const id = randomUUID();
  const codes = createRecoveryCodes();
  let mayMail = true;
  let made: Made | undefined;

  const attempt = async (user: UserRecord, removal: BeforeRemoval | undefined) => {
    // An attempt that seemed to fail may have been executed late.
    if (made !== undefined && user.factorChange?.id === id) return made;
    const wanted = await order.decide(user);
    if (wanted === undefined) return undefined;
    const losesLogIn = canLogInWithFactor(user) && !canLogInWithFactor({ ...user, ...wanted.factors });
    const guards = losesLogIn ? ((await removal?.isDispensable()) ?? []) : [];
    const tokens = removal?.tokens ?? [];
    const planned = planChange({ guards, order, user, wanted, session, id, codes, tokens, mayMail });
    made = planned.made;
    // A token that loses its flag too early is only rejected where a factor is required, and can be replaced.
    const space = maximumWritesPerTransaction - planned.writes.length;
    for (const some of chunksOf(maximumWritesPerTransaction, planned.unflagging.slice(space))) await transact(some);
    await transact([...planned.writes, ...planned.unflagging.slice(0, space)]);
    return made;
  };

  const readAgain = async () => {
    const found = await readTogether({ user: account, session });
    // The first factor ends the account's other sessions and raises the epoch of the one that added it.
    if (found.user === undefined || found.session?.epoch !== found.user.sessionEpoch) throw sessionEnded();
    return { user: found.user, removal: await order.removal?.readAgain() };
  };
  const result = await retryWithFreshRead<{ user: UserRecord; removal: BeforeRemoval | undefined }, Made | undefined>(
    { user: before, removal: order.removal?.known },
    readAgain,
    async ({ user, removal }) => {
      try {
        return await attempt(user, removal);
      } catch (error) {
        if (!(error instanceof ApiError) || made === undefined) throw error;
        if ((await find(account))?.factorChange?.id === id) return made;
        const isFull = error.code === 'rate_limited' && mayMail && !order.what.endsWith('_added');
        if (!isFull) throw error;
        // The e-mail limit must not keep users from removing a factor.
        mayMail = false;
        return attempt(user, removal);
      }
    },
  );
  if (result !== undefined) context.log.account(order.what, { userId: before.id });
  return result;
}

interface Plan {
  order: Order;
  user: UserRecord;
  wanted: Change & { undo?: readonly Write[] };
  session: Read<SessionRecord>;
  id: string;
  codes: ReturnType<typeof createRecoveryCodes>;
  tokens: readonly TokenRecord[];
  mayMail: boolean;
  /** Checks that the account can be left without a factor. */
  guards: readonly Write[];
}

/** The writes of one attempt, and those that clear the second-factor flag of tokens. Pure. */
function planChange({ order, user, wanted, session, id, codes, tokens, mayMail, guards }: Plan) {
  const { what, limits = [] } = order;
  const hadOne = hasSecondFactor(user);
  const hasOne = hasSecondFactor({ ...user, ...wanted.factors });
  const isFirst = hasOne && !hadOne;
  const isLast = hadOne && !hasOne;
  const number = (user.factorChange?.number ?? 0) + 1;
  const renewed = isFirst || wanted.newRecoveryCodes === true;
  const factors: Factors = {
    ...wanted.factors,
    ...(renewed ? { recoveryCodes: codes.hashes, recoveryCodesFrom: number } : {}),
    ...(hasOne ? {} : { recoveryCodes: undefined, recoveryCodesFrom: undefined }),
  };
  const account = at(userRecord, user.id);
  const unchanged: Condition<UserRecord> = {
    ...factorsUnchanged(user),
    ...(isLast ? asRead(user, ['creations']) : {}),
  };
  const sessionEpoch = isFirst ? epochAfterAddition(user) : user.sessionEpoch;
  const isOwn = { if: isThere, refused: sessionEnded } as const;
  const isAddition = what.endsWith('_added');
  const writes = [
    update(
      account,
      { set: { ...factors, factorChange: { number, id }, sessionEpoch }, add: isLast ? { creations: 1 } : {} },
      { if: unchanged },
    ),
    // A session that adds a factor has just used it.
    isAddition ? update(session, { set: { secondFactor: true, epoch: sessionEpoch } }, isOwn) : check(session, isOwn),
    ...wanted.writes,
    ...guards,
    ...(mayMail ? countOne(factorMails(user.id)) : []),
    ...limits.flatMap(countOne),
  ];
  const takeBack = update(account, { set: asBefore(user, factors) }, { if: { 'factorChange.id': equals(id) } });
  const made: Made = {
    recoveryCodes: renewed ? codes.codes : undefined,
    undo: [takeBack, ...(wanted.undo ?? [])],
    mayMail,
  };
  const flagged = isLast ? tokens.filter(({ secondFactor }) => secondFactor) : [];
  const unflagging = flagged.map(({ hash }) =>
    update(at(tokenRecord, user.id, hash), { set: { secondFactor: false } }, { if: isThere }),
  );
  return { writes, made, unflagging };
}

/** The account's epoch once a factor is added: the first one ends the other sessions. */
export function epochAfterAddition(user: UserRecord): number {
  return user.sessionEpoch + (hasSecondFactor(user) ? 0 : 1);
}

/** The condition of `undo` fails if another change has followed. */
async function takeBack({ principal: { user }, log }: AccountContext, undo: readonly Write[]): Promise<void> {
  try {
    await transact(undo);
    log.account('factor_taken_back', { userId: user.id });
  } catch (error) {
    log.error('could not undo a second factor whose e-mail was not sent', error, { userId: user.id });
  }
}

/** The previous values of the changed attributes. */
function asBefore(user: UserRecord, changed: Factors): Factors {
  return Object.fromEntries(factorNames.filter(name => name in changed).map(name => [name, user[name]]));
}
