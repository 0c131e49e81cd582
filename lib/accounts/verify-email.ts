import type { AccountContext, RequestContext } from '../access/request-context.ts';
import { temporarilyUnavailable } from '../core/errors.ts';
import { count } from '../limits/count.ts';
import { verificationMails } from '../limits/rate-limits.ts';
import { verificationMail } from '../mail/account-mails.ts';
import { sendMail } from '../mail/send-mail.ts';
import { isThere } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { type UserRecord, userRecord } from '../table/records/user.ts';
import { transact, update } from '../table/write.ts';
import { newVerificationLink, openVerificationLink } from './mailed-link.ts';

/**
 * Mails a verification link, which replaces any earlier one. Does nothing if the address is already verified.
 * @throws rate_limited; temporarily_unavailable if SES does not accept the mail
 */
export async function sendVerification({ principal: { user } }: AccountContext): Promise<void> {
  if (user.emailVerified) return;
  await count(verificationMails(user.email));
  const link = await newVerificationLink(user.id);
  await transact([link.write]);
  try {
    await sendMail(user.email, verificationMail(user.name, link.url));
  } catch (error) {
    throw temporarilyUnavailable('The e-mail could not be sent right now. Send the request again.', error);
  }
}

/**
 * Confirms the address with a mailed link's token.
 * @throws invalid_token
 */
export async function verifyEmail({ log }: RequestContext, token: string): Promise<UserRecord> {
  const { user, useUp } = await openVerificationLink(token);
  await transact([useUp, update(at(userRecord, user.id), { set: { emailVerified: true } }, { if: isThere })]);
  log.account('email_verified', { userId: user.id });
  return { ...user, emailVerified: true };
}
