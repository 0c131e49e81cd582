import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { openDatabase } from '../machine/data-directory.ts';
import { AwsError, type AwsServer, operation, startAwsServer } from './aws-server.ts';

/** A mail in the outbox. `to` separates multiple recipients with commas. */
interface Mail {
  to: string;
  subject: string;
  text: string;
  createdAt: string;
}

export interface Ses extends AwsServer {
  /** The mails in the outbox in the order they were sent. */
  mails: () => Mail[];
}

const maximumMails = 1000;

const Content = z.object({ Data: z.string() });
const SendEmail = z.object({
  FromEmailAddress: z.string().min(3),
  Destination: z.object({ ToAddresses: z.array(z.email()).min(1).max(50) }),
  Content: z.object({
    Simple: z.object({ Subject: Content, Body: z.object({ Text: Content.optional(), Html: Content.optional() }) }),
  }),
});

/** A stand-in for the sending part of Amazon SES v2. Mails go to an outbox that keeps the newest thousand. */
export async function startSes(directory: string | undefined): Promise<Ses> {
  const database = openDatabase(directory, 'ses.db');
  database.exec(`CREATE TABLE IF NOT EXISTS mails (
    number INTEGER PRIMARY KEY AUTOINCREMENT, "to" TEXT, subject TEXT, "text" TEXT, createdAt TEXT) STRICT`);
  const insert = database.prepare('INSERT INTO mails ("to", subject, "text", createdAt) VALUES (?, ?, ?, ?)');
  const trim = database.prepare('DELETE FROM mails WHERE number <= ?');
  const list = database.prepare('SELECT "to", subject, "text", createdAt FROM mails ORDER BY number');

  const send = operation(
    SendEmail,
    ({ Destination, Content: { Simple } }) => {
      const { Text, Html } = Simple.Body;
      const to = Destination.ToAddresses.join(', ');
      const { lastInsertRowid } = insert.run(
        to,
        Simple.Subject.Data,
        Text?.Data ?? Html?.Data ?? '',
        new Date().toISOString(),
      );
      trim.run(Number(lastInsertRowid) - maximumMails);
      return { MessageId: randomUUID() };
    },
    'BadRequestException',
  );

  const server = await startAwsServer(request => {
    if (request.method !== 'POST' || request.path !== '/v2/email/outbound-emails') {
      throw new AwsError('NotFoundException', `${request.method} ${request.path} is not part of the stand-in.`, {
        status: 404,
      });
    }
    return send(request.body, request);
  });
  return {
    url: server.url,
    mails: () => list.all() as unknown as Mail[],
    async stop() {
      await server.stop();
      database.close();
    },
  };
}
