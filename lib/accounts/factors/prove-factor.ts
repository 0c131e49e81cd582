import type { RequestContext } from '../../access/request-context.ts';
import type { PasskeyAssertion } from '../../contracts/auth/passkeys.ts';
import type { Log } from '../../core/logger.ts';
import { hashRecoveryCode } from '../../crypto/recovery-codes.ts';
import { matchingStep } from '../../crypto/totp.ts';
import { type Counter, count, isReached, requireBelowLimit } from '../../limits/count.ts';
import { factorMails, wrongCodeMails } from '../../limits/rate-limits.ts';
import { type FactorNotice, factorChangeMail, wrongCodesMail } from '../../mail/account-mails.ts';
import { asRead, equals, includes, isThere, lessThan } from '../../table/expressions.ts';
import { at, find } from '../../table/read.ts';
import { type PasskeyRecord, passkeyRecord, type UserRecord, userRecord } from '../../table/records/user.ts';
import { update, type Write } from '../../table/write.ts';
import { mailUnlessRefused } from './mail-unless-refused.ts';
import { userOfHandle } from './passkey-options.ts';
import { openTotpSecret } from './totp.ts';
import { verifyAssertion } from './verify-passkey.ts';

/** A user's answer for a second factor. Wrong codes are counted in `wrong`. */
export type PresentedFactor = { method: 'totp' | 'recovery_code'; code: string; wrong: Counter } | PresentedPasskey;

interface PresentedPasskey {
  method: 'passkey';
  assertion: PasskeyAssertion;
  passkey: PasskeyRecord | undefined;
  challenge: string;
  challengeIssuedAt: string;
}

export interface FactorProof {
  /** Use up the code or the passkey's counter, in the transaction that it authorizes. A counter of 0 stays usable. */
  writes: Write[];
  notice?: FactorNotice;
}

/**
 * Verifies a second factor of the user. Wrong codes count for the account, so call this only after a correct password.
 * Passkeys can't be guessed and are not counted.
 * @throws `refused` for a wrong factor; rate_limited, as does the transaction
 */
export async function proveFactor(
  { source, log }: RequestContext,
  user: UserRecord,
  presented: PresentedFactor,
  refused: () => Error,
): Promise<FactorProof> {
  const refuse = () => {
    log.account('second_factor_refused', { userId: user.id, method: presented.method, ip: source.ip });
    return refused();
  };
  if (presented.method === 'passkey') {
    const proof = await provePasskey(user, presented, refused);
    if (proof === undefined) throw refuse();
    return proof;
  }
  const { method, code, wrong } = presented;
  const write = method === 'totp' ? await totpWrite(user, code, refused) : recoveryWrite(user, code, refused);
  if (write === undefined) {
    await count(wrong);
    await mailGuessedCodes(log, user, wrong);
    throw refuse();
  }
  const writes = [...requireBelowLimit(wrong), write];
  return method === 'totp' ? { writes } : { writes, notice: 'recovery_code_used' };
}

/** Notifies the user, in case the recovery codes were stolen or the passkey was copied. */
export async function mailNotice({ log }: RequestContext, user: UserRecord, { notice }: FactorProof): Promise<void> {
  if (notice === undefined) return;
  log.account(notice, { userId: user.id });
  await mailUnlessRefused(log, user, count(factorMails(user.id)), () => factorChangeMail(notice));
}

/** Anyone guessing codes already knows the password, so the owner is mailed once a window's guesses are used up. */
async function mailGuessedCodes(log: Log, user: UserRecord, wrong: Counter): Promise<void> {
  const counted = await find(wrong.item);
  if (counted === undefined || !isReached(wrong, counted)) return;
  log.account('second_factor_locked', { userId: user.id });
  await mailUnlessRefused(log, user, count(wrongCodeMails(user.id, counted.expiresAt)), wrongCodesMail);
}

/** If two requests send the same code, the second one fails because its time step is used. */
async function totpWrite({ id, totp }: UserRecord, code: string, refused: () => Error): Promise<Write | undefined> {
  if (totp === undefined) return undefined;
  const step = matchingStep(await openTotpSecret(totp.sealed, id), code, Date.now());
  if (step === undefined || step <= totp.lastStep) return undefined;
  const isUnused = { 'totp.sealed': equals(totp.sealed), 'totp.lastStep': lessThan(step) };
  return update(at(userRecord, id), { set: { 'totp.lastStep': step } }, { if: isUnused, refused });
}

function recoveryWrite({ id, recoveryCodes }: UserRecord, code: string, refused: () => Error): Write | undefined {
  const hash = hashRecoveryCode(code);
  if (recoveryCodes?.has(hash) !== true) return undefined;
  const useUp = { discard: { recoveryCodes: new Set([hash]) } };
  return update(at(userRecord, id), useUp, { if: { recoveryCodes: includes(hash) }, refused });
}

/**
 * A counter that goes back is no proof of a copy (WebAuthn, level 3, section 6.1.1): a password manager that moves a
 * passkey may start at 0 again. It is accepted and recorded. But of two answers with one counter above 0, the second is
 * rejected if its challenge was issued before the first was accepted.
 */
async function provePasskey(
  { id }: UserRecord,
  { assertion, passkey, challenge, challengeIssuedAt }: PresentedPasskey,
  refused: () => Error,
): Promise<FactorProof | undefined> {
  const handle = assertion.response.userHandle;
  if (passkey === undefined || (handle !== undefined && userOfHandle(handle) !== id)) return undefined;
  const counter = await verifyAssertion(assertion, passkey, challenge);
  if (counter === undefined) return undefined;
  const isRepeated = counter > 0 && counter === passkey.counter;
  if (isRepeated && challengeIssuedAt <= (passkey.lastUsedAt ?? passkey.createdAt)) return undefined;
  const lastUsedAt = new Date().toISOString();
  const item = at(passkeyRecord, id, passkey.credentialId);
  if (counter > passkey.counter || passkey.counter === 0) {
    const isHigher = counter === 0 ? isThere : { counter: lessThan(counter) };
    return { writes: [update(item, { set: { counter, lastUsedAt } }, { if: isHigher, refused })] };
  }
  const isUnchanged = counter === 0 ? isThere : asRead(passkey, ['counter', 'lastUsedAt']);
  const changes = { set: { counter, lastUsedAt, counterWentBackAt: lastUsedAt } };
  return { writes: [update(item, changes, { if: isUnchanged, refused })], notice: 'passkey_counter_went_back' };
}
