import { ApiError } from '../../core/errors.ts';
import type { Log } from '../../core/logger.ts';
import type { Mail } from '../../mail/compose-mail.ts';
import { sendMail } from '../../mail/send-mail.ts';
import type { UserRecord } from '../../table/records/user.ts';

/** Notifies the user of a completed change, unless `counting` rejects at the mail limit. A failure is only logged. */
export async function mailUnlessRefused(
  log: Log,
  { id, email }: Pick<UserRecord, 'id' | 'email'>,
  counting: Promise<void>,
  compose: () => Promise<Mail>,
): Promise<void> {
  try {
    await counting;
    await sendMail(email, await compose());
  } catch (error) {
    if (error instanceof ApiError && error.code === 'rate_limited') log.account('mail_dropped', { userId: id });
    else log.error('could not send an e-mail about an account', error, { userId: id });
  }
}
