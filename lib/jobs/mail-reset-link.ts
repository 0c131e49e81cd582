import { newResetLink } from '../accounts/mailed-link.ts';
import type { Job } from '../core/job.ts';
import { passwordResetMail } from '../mail/account-mails.ts';
import { sendMail } from '../mail/send-mail.ts';
import { at, find } from '../table/read.ts';
import { userRecord } from '../table/records/user.ts';
import { putAlone } from '../table/write.ts';

type MailResetLink = Extract<Job, { type: 'mail-reset-link' }>;

/**
 * Sends an e-mail with a link to reset the password. The token is created here, so that no queue ever holds it. Does
 * nothing if the account is gone.
 */
export async function mailResetLink({ userId }: MailResetLink): Promise<void> {
  const user = await find(at(userRecord, userId));
  if (user === undefined) return;
  const link = await newResetLink(user);
  await putAlone(link.write);
  await sendMail(user.email, passwordResetMail(user.name, link.url));
}
