import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { callLimits } from '../core/call-limits.ts';
import { oncePerProcess } from '../core/process-memory.ts';
import { requiredSetting } from '../core/settings.ts';
import type { Mail } from './compose-mail.ts';

/** The process's SES client. Exported for tests that count its calls. */
export const mailClient = /* @__PURE__ */ oncePerProcess('ses-client', () => new SESv2Client(callLimits));

/** Hands an e-mail to SES, which delivers it later. */
export async function sendMail(to: string, { subject, text, html }: Mail): Promise<void> {
  await mailClient().send(
    new SendEmailCommand({
      FromEmailAddress: requiredSetting('MAIL_FROM'),
      Destination: { ToAddresses: [to] },
      Content: {
        Simple: {
          Subject: { Data: subject, Charset: 'UTF-8' },
          Body: { Text: { Data: text, Charset: 'UTF-8' }, Html: { Data: html, Charset: 'UTF-8' } },
        },
      },
    }),
  );
}
