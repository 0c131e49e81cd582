import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestContext } from '../access/request-context.ts';
import { settings } from '../core/settings.ts';
import { hashPassword } from '../crypto/passwords.ts';
import { passwordResetMail } from '../mail/account-mails.ts';
import { sendMail } from '../mail/send-mail.ts';
import { equals } from '../table/expressions.ts';
import { emailRecord, userRecord } from '../table/records/user.ts';
import { at, find, transact, update } from '../table/store.ts';
import { refuseCommonPassword } from './common-passwords.ts';
import { newLink, openLink } from './mailed-link.ts';
import { nobody } from './nobody.ts';
import { rateSubjectOfEmail, takeTry } from './rate-limit.ts';

/**
 * The answer comes this long after the request, whether there is such an account or not: longer than two reads, one
 * write and a mail take as a rule, so that their time cannot be told from nothing being sent.
 */
const answerAfterMs = 500;

/**
 * Mails a reset link, if there is such an account; the caller cannot tell. The limit counts for an unknown address, too.
 * @throws rate_limited
 */
export async function requestPasswordReset({ source, log }: RequestContext, email: string): Promise<void> {
  const limit = {
    name: 'password-reset',
    tries: settings().PASSWORD_RESET_LIMIT_PER_HOUR,
    windowSeconds: 60 * 60,
    subject: rateSubjectOfEmail(email),
  };
  const [pointer] = await Promise.all([find(at(emailRecord, email)), takeTry(limit)]);
  const userId = pointer?.userId;
  log.account('password_reset_requested', { email, userId, ip: source.ip });
  // A failure is logged and not told: it could only happen for an account that exists.
  const mailing = mailResetLink(userId ?? nobody).catch(error =>
    log.error('could not send a password reset mail', error, { userId }),
  );
  await Promise.all([mailing, sleep(answerAfterMs)]);
}

async function mailResetLink(userId: string): Promise<void> {
  const user = await find(at(userRecord, userId));
  if (user === undefined) return;
  const link = newLink(userId, 'reset-password');
  await transact([link.write]);
  await sendMail(user.email, passwordResetMail(user.name, link.url));
}

/**
 * Sets a new password with a mailed link's token. Every session ends with the same write.
 * @throws invalid_token; invalid_request naming `newPassword` for a common one, which leaves the link usable
 */
export async function resetPassword(
  { source, log }: RequestContext,
  { token, newPassword }: { token: string; newPassword: string },
): Promise<void> {
  refuseCommonPassword('newPassword', newPassword);
  const { user, useUp } = await openLink(token, 'reset-password');
  const passwordHash = await hashPassword(newPassword);
  await transact([
    useUp,
    update(
      at(userRecord, user.id),
      { set: { passwordHash, sessionEpoch: user.sessionEpoch + 1 } },
      { if: { sessionEpoch: equals(user.sessionEpoch) } },
    ),
  ]);
  log.account('password_reset', { userId: user.id, ip: source.ip });
}
