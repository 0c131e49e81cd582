import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { expect, it, onTestFinished } from 'vitest';
import { type Ses, startSes } from '#infra/local/stand-ins/ses.ts';
import { scratchDirectory } from '#test/support/fixtures.ts';

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

function send({ url }: Ses, to: string[], subject: string, text = 'Hello') {
  const client = new SESv2Client({ endpoint: url, region: 'eu-west-1', credentials });
  return client.send(
    new SendEmailCommand({
      FromEmailAddress: 'no-reply@example.com',
      Destination: { ToAddresses: to },
      Content: { Simple: { Subject: { Data: subject }, Body: { Text: { Data: text }, Html: { Data: '<p>' } } } },
    }),
  );
}

it('The outbox lists e-mails in the order of sending and still has them after a restart', async () => {
  const directory = scratchDirectory(onTestFinished);
  let ses = await startSes(directory);
  const first = await send(ses, ['a@example.com'], 'One', 'Grüße\n');
  const second = await send(ses, ['b@example.com', 'c@example.com'], 'Two');
  expect(first.MessageId).toBeTruthy();
  expect(first.MessageId).not.toBe(second.MessageId);
  await ses.stop();
  ses = await startSes(directory);
  expect(ses.mails()).toEqual([
    { to: 'a@example.com', subject: 'One', text: 'Grüße\n', createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) },
    { to: 'b@example.com, c@example.com', subject: 'Two', text: 'Hello', createdAt: expect.any(String) },
  ]);
  await ses.stop();
});

it("An e-mail that SES would reject is rejected with SES's error", async () => {
  const ses = await startSes(undefined);
  await expect(send(ses, [], 'Nobody')).rejects.toMatchObject({ name: 'BadRequestException' });
  await expect(send(ses, ['not an address'], 'Nobody')).rejects.toMatchObject({ name: 'BadRequestException' });
  expect(ses.mails()).toEqual([]);
  await ses.stop();
});

it('The outbox keeps only the newest thousand e-mails', async () => {
  const ses = await startSes(undefined);
  for (let batch = 0; batch < 21; batch += 1) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => send(ses, ['a@example.com'], `${batch * 50 + index}`)));
  }
  const subjects = ses.mails().map(mail => Number(mail.subject));
  expect(subjects).toHaveLength(1000);
  expect(Math.min(...subjects)).toBeGreaterThanOrEqual(0);
  expect(subjects).toContain(1049);
  await ses.stop();
});
