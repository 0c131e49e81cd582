import type { AccountContext } from '../../access/request-context.ts';
import { requireVerifiedEmail } from '../../access/verified-email.ts';
import { invalidRequest } from '../../core/errors.ts';
import { minuteMs } from '../../core/time.ts';
import { base32 } from '../../crypto/base32.ts';
import { kmsDecrypt, kmsEncrypt } from '../../crypto/kms.ts';
import { createTotpSecret, matchingStep } from '../../crypto/totp.ts';
import { recoveryCodeRenewals } from '../../limits/rate-limits.ts';
import { serviceName } from '../../mail/account-mails.ts';
import { isThere } from '../../table/expressions.ts';
import { at } from '../../table/read.ts';
import { hasSecondFactor, isSame, type UserRecord, userRecord } from '../../table/records/user.ts';
import { transact, update } from '../../table/write.ts';
import { addFactor, changeFactors, ownAddition } from './change-factors.ts';
import { type Membership, readBeforeRemoval } from './remove-factors.ts';

/** A secret for an authenticator app, shown only once; a code must confirm it. @throws email_not_verified */
export async function startTotp({ principal: { user } }: AccountContext): Promise<{ secret: string; uri: string }> {
  requireVerifiedEmail(user);
  const plain = createTotpSecret();
  const pendingTotp = { sealed: await sealTotpSecret(plain, user.id), expiresAt: Date.now() + 10 * minuteMs };
  await transact([update(at(userRecord, user.id), { set: { pendingTotp } }, { if: isThere })]);
  const secret = base32(plain);
  const label = `${serviceName}:${encodeURIComponent(user.email)}`;
  return { secret, uri: `otpauth://totp/${label}?secret=${secret}&issuer=${serviceName}` };
}

/**
 * Makes the authenticator app a second factor, replacing an earlier one. If the response was lost, sending the same
 * code again returns other recovery codes, once. They come with the account's first factor.
 * @throws email_not_verified; invalid_request naming `code` if it is wrong or there is nothing to confirm; rate_limited
 */
export async function confirmTotp(context: AccountContext, code: string): Promise<string[] | undefined> {
  const { user } = context.principal;
  requireVerifiedEmail(user);
  const { pendingTotp, totp } = user;
  if (pendingTotp === undefined && totp?.answeredStep !== undefined) return answerAgain(context, totp, code);
  if (pendingTotp === undefined || pendingTotp.expiresAt <= Date.now()) throw beginAgain();
  const { sealed } = pendingTotp;
  const lastStep = matchingStep(await openTotpSecret(sealed, user.id), code, Date.now());
  if (lastStep === undefined) throw invalidRequest([{ path: 'code', message: 'is wrong' }]);
  return addFactor(context, 'totp_added', current => {
    if (!isSame(sealed, current.pendingTotp?.sealed)) throw beginAgain();
    const answeredStep = hasSecondFactor(current) ? undefined : lastStep;
    const factors = { totp: { sealed, lastStep, answeredStep, ...ownAddition }, pendingTotp: undefined };
    return { added: { method: 'totp', sealed }, factors, writes: [] };
  });
}

/** For the code that confirmed the app, if none was used since: the user may not have seen the recovery codes. */
async function answerAgain(
  context: AccountContext,
  { sealed, answeredStep }: NonNullable<UserRecord['totp']>,
  code: string,
): Promise<string[] | undefined> {
  const { id } = context.principal.user;
  if (matchingStep(await openTotpSecret(sealed, id), code, Date.now()) !== answeredStep) throw beginAgain();
  const decide = ({ totp }: UserRecord) => {
    const isAnswered = totp?.answeredStep !== answeredStep || totp?.lastStep !== answeredStep;
    if (totp === undefined || isAnswered || !isSame(sealed, totp.sealed)) throw beginAgain();
    const { answeredStep: _, ...answered } = totp;
    return { factors: { totp: answered }, writes: [], newRecoveryCodes: true } as const;
  };
  return changeFactors(context, 'recovery_codes_renewed', decide, { limits: [recoveryCodeRenewals(id)] });
}

const beginAgain = () =>
  invalidRequest([{ path: 'code', message: 'does not belong to a new authenticator app: start again' }]);

/** Does nothing for an account without an authenticator app. */
export async function removeTotp(context: AccountContext, memberships: readonly Membership[]): Promise<void> {
  const { user } = context.principal;
  const decide = ({ totp }: UserRecord) => totp && { factors: { totp: undefined }, writes: [] };
  const readAgain = () => readBeforeRemoval(user.id, memberships);
  await changeFactors(context, 'totp_removed', decide, { removal: { foreseen: await readAgain(), readAgain } });
}

/*
 * One KMS call each. KMS binds the account to the ciphertext: a secret copied to another account's item can't be
 * decrypted there.
 */

export function sealTotpSecret(secret: Uint8Array, userId: string): Promise<Uint8Array> {
  return kmsEncrypt(secret, { user: userId });
}

export function openTotpSecret(sealed: Uint8Array, userId: string): Promise<Uint8Array> {
  return kmsDecrypt(sealed, { user: userId });
}
