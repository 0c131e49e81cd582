import type { AccountContext } from '../../access/request-context.ts';
import { createRecoveryCodes } from '../../crypto/recovery-codes.ts';
import { type FactorChange, factorChangeMail } from '../../mail/account-mails.ts';
import { sendMail } from '../../mail/send-mail.ts';
import { isThere } from '../../table/expressions.ts';
import { at, find } from '../../table/read.ts';
import { sessionRecord } from '../../table/records/session.ts';
import { factorsUnchanged, hasSecondFactor, type UserRecord, userRecord } from '../../table/records/user.ts';
import { check, retryWithFreshRead, transact, update, type Write } from '../../table/write.ts';
import { sessionEnded } from '../create-token.ts';

type Factors = Pick<UserRecord, 'passkeyCount' | 'totp' | 'recoveryCodes' | 'pendingTotp'>;

interface Change {
  /** What the account has from then on; undefined takes it away. */
  factors: Factors;
  /** Other writes of the same transaction. */
  writes: readonly Write[];
  newRecoveryCodes?: true;
}

/**
 * Changes the account's second factors. The first one comes with recovery codes, and the last one takes them along. The
 * user gets a mail; one that cannot be sent is logged, because the change is made.
 * @param decide what changes, given the account as it is now; undefined if nothing does
 * @returns new recovery codes in clear, shown only this once
 * @throws unauthenticated if the session or the password has ended meanwhile
 */
export async function changeFactors(
  { principal: { user: before, credential }, log }: AccountContext,
  what: FactorChange,
  decide: (user: UserRecord) => Change | undefined,
): Promise<string[] | undefined> {
  if (credential.method !== 'session') throw sessionEnded();
  const session = at(sessionRecord, before.id, credential.hash);
  const ended = { if: isThere, refused: sessionEnded } as const;
  const known: UserRecord | undefined = before;
  const made = await retryWithFreshRead(
    known,
    () => find(at(userRecord, before.id)),
    async (user, budget) => {
      if (user?.sessionEpoch !== before.sessionEpoch) throw sessionEnded();
      const change = decide(user);
      if (change === undefined) return undefined;
      const hasOne = hasSecondFactor({ ...user, ...change.factors });
      const isFirst = hasOne && !hasSecondFactor(user);
      const fresh = isFirst || change.newRecoveryCodes === true ? createRecoveryCodes() : undefined;
      const recoveryCodes = hasOne ? (fresh?.hashes ?? user.recoveryCodes) : undefined;
      await transact(
        [
          update(
            at(userRecord, user.id),
            { set: { ...change.factors, recoveryCodes } },
            { if: factorsUnchanged(user) },
          ),
          // A session that adds a factor has just used it. The session's presence also makes this a transaction, which is
          // made once even if its answer is lost.
          what.endsWith('_added') ? update(session, { set: { secondFactor: true } }, ended) : check(session, ended),
          ...change.writes,
        ],
        budget,
      );
      return { recoveryCodes: fresh?.codes };
    },
  );
  if (made === undefined) return undefined;
  log.account(what, { userId: before.id });
  try {
    await sendMail(before.email, await factorChangeMail(what));
  } catch (error) {
    log.error('could not send the mail about a second factor', error, { userId: before.id });
  }
  return made.recoveryCodes;
}
