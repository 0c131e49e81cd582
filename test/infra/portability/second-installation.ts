import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';
import { type Client, clientOf, sessionOf } from '#test/support/api.ts';
import { expectStatus, resetPassword } from '#test/support/sample-requests.ts';

/** Another installation, in a process of its own, with a table, a KMS key and mails of its own. */
export async function startSecondInstallation() {
  const own = Object.entries(process.env).filter(([name]) => !/^(AWS_|TABLE_NAME$|KMS_KEY_ID$|.*QUEUE)/.test(name));
  const env = {
    ...Object.fromEntries(own),
    AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoDbUrl'),
    TABLE_NAME: `test-${randomUUID()}`,
    LOG_LEVEL: 'ERROR',
    PASSWORD_RESET_LIMIT_PER_HOUR: '-1',
    REQUESTS_PER_MINUTE: '-1',
  };
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, '../../support/instance.ts')], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [url] = (await once(createInterface({ input: child.stdout ?? process.stdin }), 'line')) as [string];
  const client = clientOf(url);
  const sessions = new Map<string, Promise<{ cookie: string }>>();
  return {
    ...client,
    port: new URL(url).port,
    /** A session of somebody whose account the import created. */
    regain: (email: string) => {
      const session = sessions.get(email) ?? regain(client, email);
      sessions.set(email, session);
      return session;
    },
    stop: async () => {
      child.stdin?.end();
      await ended;
    },
  };
}

async function regain(client: Client, email: string): Promise<{ cookie: string }> {
  const mails = async () => {
    const { messages } = (await (await fetch(new URL('/local/mail', client.url))).json()) as { messages: never[] };
    return messages;
  };
  const password = 'another battery horse';
  await resetPassword({ ...client, mails, stop: async () => undefined }, { email }, password);
  return sessionOf(await expectStatus(client.post('/auth/login', { email, password }), 200));
}
