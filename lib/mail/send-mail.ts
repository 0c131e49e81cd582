import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { requiredSetting } from '../core/settings.ts';
import type { Mail } from './compose-mail.ts';

let client: SESv2Client | undefined;

/** The process's SES client. Exported for tests that count its calls. */
export function mailClient(): SESv2Client {
  client ??= new SESv2Client({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true },
  });
  return client;
}

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
