import { expect } from 'vitest';
import { untilEnd } from '#test/support/fixtures.ts';
import { startMcpClient } from '#test/support/mcp-client.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import type { Run, World } from './world.ts';

/** What the agent's file says about the server, for the session that follows. */
let configured: { command: string; args: string[]; env: Record<string, string> };

const stored = { DATABASE_HOST: 'db.internal', SESSION_KEY: 'an-old-session-key' };

async function connect({ home, path }: World) {
  const { command, args, env } = configured;
  return untilEnd(startMcpClient({ command, args, env: { PATH: path, HOME: home, ...env }, cwd: home }));
}

const configure: Run = async (text, world) => {
  const { api, ada, organizationId, projectId } = world;
  const token = await expectStatus(
    api.post('/auth/token', { name: 'agent', access: 'names', organizationId, projectId }, ada.session),
    201,
  );
  const file = world.file('.holdfast-agent', token.body.token, 0o600);
  await expectStatus(api.post('/secrets/acme/web-shop/dev/bulk', { secrets: stored }, ada.session), 200);
  configured = JSON.parse(world.fill(text).replace('/home/ada/.holdfast-agent', file)).mcpServers.holdfast;
  const { client } = await connect(world);

  expect((await client.listTools()).tools.length).toBe(9);
};

/** Times, ids and addresses differ in every run, and the page has other line breaks. */
const normal = (text: string, { origin, ada }: World) =>
  text
    .replaceAll(`${origin}/organizations/acme/projects/web-shop`, '…')
    .replaceAll(ada.email, 'ada@example.com')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/\s+/g, '');

const holdSession: Run = async (text, world) => {
  const { call } = await connect(world);
  const lines: string[] = [];
  for (const line of text.split('\n').filter(one => one.startsWith('> '))) {
    const [, tool = '', input = '{}'] = /^> (\w+) ?(.*)$/.exec(line) ?? [];
    lines.push(line, (await call(tool, JSON.parse(input))).text);
  }

  expect(normal(lines.join('\n'), world)).toBe(normal(text, world));
  expect(lines.join('\n')).not.toMatch(/db\.internal|an-old-session-key/);
};

const check: Run = async (text, { api, ada, home, shell }) => {
  const { HOLDFAST_URL = '', HOLDFAST_TOKEN_FILE = '' } = configured.env;
  const env = { HOLDFAST_URL, HOLDFAST_TOKEN_FILE, HOLDFAST_ORG: 'acme', HOLDFAST_PROJECT: 'web-shop' };
  const plan = JSON.parse(await shell(text, env, { cwd: home, command: ['bash', '--norc', '-euo', 'pipefail'] }));

  expect(plan.plan).toMatchObject({ created: ['DATABASE_HOST', 'SESSION_KEY'], updated: [] });
  const { secrets } = (await api.get('/secrets/acme/web-shop/staging', ada.session)).body;
  expect(secrets).toMatchObject([{ key: 'WEBHOOK_SECRET', value: expect.stringMatching(/^\w{48}$/) }]);
  // Other pages begin with an empty environment.
  await expectStatus(api.delete('/secrets/acme/web-shop/staging/WEBHOOK_SECRET', ada.session), 200);
};

export const agents = [configure, holdSession, check];
