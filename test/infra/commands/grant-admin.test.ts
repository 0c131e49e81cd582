import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../../support/api.ts';
import { type Person, seedPerson } from '../../support/people.ts';

const command = join(import.meta.dirname, '../../../infra/commands/grant-admin.ts');

async function grantAdmin(env: Record<string, string>, ...args: string[]) {
  const running = promisify(execFile)(process.execPath, [command, ...args], {
    env: { PATH: process.env.PATH, ...env },
  });
  const { stdout, stderr } = await running.catch(error => error as { stdout: string; stderr: string });
  return { code: running.child.exitCode, stdout, stderr };
}

describe('grant-admin', () => {
  let api: Api;
  let person: Person;
  beforeAll(async () => {
    api = await startApi();
    person = await seedPerson();
  });
  afterAll(() => api.stop());

  it('makes a user of the running local stack a platform administrator, whatever the case of the address', async () => {
    const { port } = new URL(api.url);
    const email = person.email.toUpperCase();
    expect((await api.get('/admin/stats', person.session)).status).toBe(403);
    expect(await grantAdmin({ PORT: port }, email)).toEqual({
      code: 0,
      stdout: `${email} is now a platform administrator of the local stack on port ${port}.\n`,
      stderr: '',
    });
    expect((await api.get('/admin/stats', person.session)).status).toBe(200);
  });

  it('makes a user of a deployed table an administrator if TABLE_NAME is set and PORT is not', async () => {
    const other = await seedPerson();
    const table = process.env.TABLE_NAME ?? '';
    const env = {
      TABLE_NAME: table,
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL_DYNAMODB: process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    };
    const { code, stdout } = await grantAdmin(env, other.email);
    expect([code, stdout]).toEqual([0, `${other.email} is now a platform administrator of the table ${table}.\n`]);
    expect((await api.get('/admin/stats', other.session)).status).toBe(200);
  });

  it('reports in one sentence an unknown account, a missing stack, or the usage', async () => {
    const email = `${randomUUID()}@example.com`;
    expect(await grantAdmin({ PORT: new URL(api.url).port }, email)).toEqual({
      code: 1,
      stdout: '',
      stderr: `No account has the e-mail address ${email}.\n`,
    });
    const none = await grantAdmin({ PORT: '1' }, 'ada@example.com');
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toMatch(/^No local stack answers on port 1: [^\n]*\.\n$/);
    const usage = await grantAdmin({});
    expect(usage).toEqual({ code: 1, stdout: '', stderr: 'Usage: npm run grant-admin -- <e-mail>\n' });
  });
});
