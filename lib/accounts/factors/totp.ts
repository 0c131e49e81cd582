import type { AccountContext } from '../../access/request-context.ts';
import { invalidRequest } from '../../core/errors.ts';
import { base32 } from '../../crypto/base32.ts';
import { createTotpSecret, matchingStep } from '../../crypto/totp.ts';
import { serviceName } from '../../mail/account-mails.ts';
import { isThere } from '../../table/expressions.ts';
import { at } from '../../table/read.ts';
import { userRecord } from '../../table/records/user.ts';
import { transact, update } from '../../table/write.ts';
import { changeFactors } from './change-factors.ts';
import { openTotpSecret, sealTotpSecret } from './totp-secret.ts';

const confirmWithinMs = 10 * 60_000;

/** A secret for an authenticator app, in clear only this once. It does nothing until a code confirms it. */
export async function startTotp({ principal: { user } }: AccountContext): Promise<{ secret: string; uri: string }> {
  const plain = createTotpSecret();
  const pendingTotp = { sealed: await sealTotpSecret(plain, user.id), expiresAt: Date.now() + confirmWithinMs };
  await transact([update(at(userRecord, user.id), { set: { pendingTotp } }, { if: isThere })]);
  const secret = base32(plain);
  const label = `${serviceName}:${encodeURIComponent(user.email)}`;
  return { secret, uri: `otpauth://totp/${label}?secret=${secret}&issuer=${serviceName}` };
}

/**
 * Makes the authenticator app a second factor, in the place of an earlier one.
 * @returns recovery codes if this is the account's first factor
 * @throws invalid_request naming `code` for a wrong one, or where nothing waits to be confirmed
 */
export async function confirmTotp(context: AccountContext, code: string): Promise<string[] | undefined> {
  const { user } = context.principal;
  const { pendingTotp } = user;
  const beginAgain = () => invalidRequest([{ path: 'code', message: 'is of no new authenticator app: begin again' }]);
  if (pendingTotp === undefined || pendingTotp.expiresAt <= Date.now()) throw beginAgain();
  const { sealed } = pendingTotp;
  const lastStep = matchingStep(await openTotpSecret(sealed, user.id), code, Date.now());
  if (lastStep === undefined) throw invalidRequest([{ path: 'code', message: 'is wrong' }]);
  return changeFactors(context, 'totp_added', current => {
    if (!Buffer.from(sealed).equals(current.pendingTotp?.sealed ?? Buffer.of())) throw beginAgain();
    return { factors: { totp: { sealed, lastStep }, pendingTotp: undefined }, writes: [] };
  });
}

/** Without an authenticator app this changes nothing. */
export async function removeTotp(context: AccountContext): Promise<void> {
  await changeFactors(context, 'totp_removed', ({ totp }) =>
    totp === undefined ? undefined : { factors: { totp: undefined }, writes: [] },
  );
}
