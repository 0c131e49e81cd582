import { ApiError } from '../../core/errors.ts';
import type { Log } from '../../core/logger.ts';
import { type Counter, count } from '../../limits/count.ts';
import type { Mail } from '../../mail/compose-mail.ts';
import { sendMail } from '../../mail/send-mail.ts';
import type { UserRecord } from '../../table/records/user.ts';

/** Mails the user about what has happened, unless the limit is used up. What happened stays, so a failure is only logged. */
export async function mailIfRoom(
  log: Log,
  { id, email }: Pick<UserRecord, 'id' | 'email'>,
  mails: Counter,
  compose: () => Promise<Mail>,
): Promise<void> {
  try {
    await count(mails);
    await sendMail(email, await compose());
  } catch (error) {
    if (error instanceof ApiError && error.code === 'rate_limited') log.account('mail_dropped', { userId: id });
    else log.error('could not send a mail about an account', error, { userId: id });
  }
}
