import { ApiError } from '../../core/errors.ts';
import type { Log } from '../../core/logger.ts';
import { type Counter, count } from '../../limits/count.ts';
import type { Mail } from '../../mail/compose-mail.ts';
import { sendMail } from '../../mail/send-mail.ts';
import type { UserRecord } from '../../table/records/user.ts';

/** Counts a mail. @returns why it must not be sent, or undefined */
export async function refusalOfMail(mails: Counter): Promise<unknown> {
  try {
    await count(mails);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Mails the user about what has happened, unless the mail was refused. What happened stays, so a failure is only logged. */
export async function mailUnlessRefused(
  log: Log,
  { id, email }: Pick<UserRecord, 'id' | 'email'>,
  refusal: unknown,
  compose: () => Promise<Mail>,
): Promise<void> {
  try {
    if (refusal !== undefined) throw refusal;
    await sendMail(email, await compose());
  } catch (error) {
    if (error instanceof ApiError && error.code === 'rate_limited') log.account('mail_dropped', { userId: id });
    else log.error('could not send a mail about an account', error, { userId: id });
  }
}
