import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { callLimits } from '../core/call-limits.ts';
import { oncePerProcess } from '../core/process-memory.ts';
import { requiredSetting } from '../core/settings.ts';
import type { Mail } from './compose-mail.ts';

/** The process's SES client. Exported for tests that count its calls. */
export const mailClient = /* @__PURE__ */ oncePerProcess('ses-client', () => new SESv2Client(callLimits));

/** Hands an e-mail to SES, which delivers it later. */
export async function sendMail(to: string, mail: Mail): Promise<void> {
  await mailClient().send(sendCommand(to, mail));
}

/** SES didn't answer, or failed, so it may have the e-mail or not. */
export class MailMayBeSent extends Error {
  override readonly name = 'MailMayBeSent';
}

/** Errors without an answer that say that SES did not get the request. */
const notConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * Like `sendMail`, but never sends twice: it repeats only what SES rejected.
 * @throws MailMayBeSent if SES didn't answer, or failed
 */
export async function sendMailOnce(to: string, mail: Mail): Promise<void> {
  const command = sendCommand(to, mail);
  // Within the SDK's retries, which would otherwise repeat a request whose answer was lost.
  const place = { relation: 'after', toMiddleware: 'retryMiddleware', name: 'endWithoutAnswer' } as const;
  command.middlewareStack.addRelativeTo(endWithoutAnswer, place);
  await mailClient().send(command);
}

/** Whether an answer says that SES did not accept the request; after other answers from 500 on, it may have. */
const isRejection = (status: number): boolean => status < 500 || status === 503;

/** The SDK looks at the cause of an error too, so this one has none. */
function endWithoutAnswer<Args, Answer>(next: (args: Args) => Promise<Answer>): (args: Args) => Promise<Answer> {
  return args =>
    next(args).catch(error => {
      const { $metadata, code = '', name = 'no answer' } = error;
      const status: number | undefined = $metadata?.httpStatusCode;
      if (status === undefined ? notConnected.has(code) : isRejection(status)) throw error;
      throw new MailMayBeSent(`The e-mail may have been sent: ${name}`);
    });
}

function sendCommand(to: string, { subject, text, html }: Mail): SendEmailCommand {
  return new SendEmailCommand({
    FromEmailAddress: requiredSetting('MAIL_FROM'),
    Destination: { ToAddresses: [to] },
    Content: {
      Simple: {
        Subject: { Data: subject, Charset: 'UTF-8' },
        Body: { Text: { Data: text, Charset: 'UTF-8' }, Html: { Data: html, Charset: 'UTF-8' } },
      },
    },
  });
}
