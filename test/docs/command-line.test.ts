import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { shared } from '#test/support/fixtures.ts';
import { buildCli } from '../clients/cli/cli.ts';
import { createProject, createToken, startApi } from '../support/api.ts';
import { seedPerson } from '../support/people.ts';
import { expectStatus, join as joinOrganization } from '../support/sample-requests.ts';
import { kubeconfigOf, startKubernetes } from '../support/sync-targets/kubernetes.ts';
import { read, root } from './pages.ts';

const page = read('docs/command-line.md');
const examples = [...page.matchAll(/^### (.+)\n\n[^\n#`]+(?:\n[^\n#`]+)*\n\n```sh\n(.+)\n```$/gm)].map(match => ({
  command: match[1] as string,
  example: match[2] as string,
}));

/** Examples that need a browser. test/clients/cli/against-service.test.ts plays its part, for both commands. */
const inBrowser = ['login', 'tokens create'];
/** Waits for an agent. test/clients/cli/mcp.test.ts is one. */
const byAgents = ['mcp'];
/** Commands that create what the others use. */
const first = ['projects create', 'link', 'push', 'template add'];
/** Commands that delete what the others use, or end access. */
const last = ['projects delete', 'members leave', 'tokens revoke', 'logout'];
const api = shared(startApi);
const ada = shared(() => seedPerson({ name: 'Ada' }));
const cli = shared(buildCli);
const kubernetes = shared(() => startKubernetes());
let acmeId: string;
let alansId: string;
let alansSession: { cookie: string };

beforeAll(async () => {
  const { body } = await expectStatus(api.post('/orgs', { name: 'Acme', slug: 'acme' }, ada.session), 201);
  acmeId = body.organization.id;
  // The last owner can't leave.
  await joinOrganization(
    api,
    { ...ada, organization: body.organization },
    await seedPerson({ name: 'Grace' }),
    'owner',
  );
  const alan = await seedPerson({ name: 'Alan', email: 'alan@example.com' });
  alansId = (await joinOrganization(api, { ...ada, organization: body.organization }, alan, 'viewer')).id;
  alansSession = alan.session;
  cli.file('package.json', '{"scripts": {"start": "node -p process.env.DATABASE_URL"}}');
  cli.file('change.sh', '#!/bin/sh\nprintf %s "$HOLDFAST_NEW_SESSION_KEY" >session-key\n', 0o755);
  cli.file('try.sh', '#!/bin/sh\ntest "$(cat session-key)" = "$HOLDFAST_NEW_SESSION_KEY"\n', 0o755);
  const lines = ['DATABASE_URL=postgres://db.internal/shop', 'LOG_LEVEL=info', 'LEGACY_API_KEY=made-up', ''];
  cli.file('.env', lines.join('\n'));
  cli.file('.kube/config', kubeconfigOf(kubernetes));
  cli.file('secrets.json', '{"DOPPLER_PROJECT": "web-shop", "DOPPLER_CONFIG": "dev", "API_KEY": "made-up"}');
});

/** The ids in the examples, by those of a real webhook and one of its deliveries. */
async function webhookIds(): Promise<Record<string, string>> {
  const webhooks = `/webhooks/${acmeId}`;
  const created = await api.post(webhooks, { url: 'http://127.0.0.1:9/', events: ['secret.updated'] }, ada.session);
  const path = `${webhooks}/${created.body.webhook.id}`;
  const { deliveryId } = (await api.post(`${path}/test`, {}, ada.session)).body;
  await vi.waitFor(async () => expect((await api.get(path, ada.session)).body.deliveries).toHaveLength(1), 10_000);
  return {
    '2c9d4f1e-8a37-4b60-95d2-6e1f0b7c3a58': created.body.webhook.id,
    '0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03': deliveryId,
  };
}

/** The same, by those of two deleted projects and a deleted organization. */
async function deletedIds(): Promise<Record<string, string>> {
  const deleteProject = async (name: string): Promise<string> => {
    const { id, slug } = await createProject(api, { ...ada, organization: { id: acmeId, slug: 'acme' } }, name);
    await expectStatus(api.delete(`/projects/${acmeId}/${slug}?keepDays=7`, ada.session), 200);
    return id;
  };
  await expectStatus(api.delete(`/orgs/${ada.organization.id}?keepDays=7`, ada.session), 200);
  return {
    '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73': await deleteProject('Old'),
    '3b6e0c92-1f7d-4a58-9c40-e2d8a5f71b06': await deleteProject('Older'),
    '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31': ada.organization.id,
  };
}

/** The same, by those of proposals in the linked environment. */
async function proposalIds(): Promise<Record<string, string>> {
  const proposalId = async (key: string): Promise<string> => {
    const body = { set: [{ key, value: 'made-up' }] };
    return (await expectStatus(api.post('/secrets/acme/web-shop/dev/proposals', body, ada.session), 201)).body.proposal
      .id;
  };
  return {
    '01943c8e-5a10-7c3d-9f42-6b8e2d7a1c05': await proposalId('FIRST'),
    '01943c8e-71b2-7f04-8a6d-3c95e0d1b748': await proposalId('SECOND'),
    '01943c8e-88c4-7a19-b3e7-d20f4b6a95e1': await proposalId('THIRD'),
  };
}

/** The same, by those of a grant and a request for one. */
async function grantIds(): Promise<Record<string, string>> {
  const { environments } = await createProject(api, { ...ada, organization: { id: acmeId, slug: 'acme' } }, 'Ledger');
  const body = { environmentId: environments[0]?.id, access: 'read', minutes: 60, reason: 'An incident' };
  const given = await expectStatus(api.post(`/members/${acmeId}/${alansId}/grants`, body, ada.session), 201);
  const asked = await expectStatus(api.post(`/grants/${acmeId}/requests`, body, alansSession), 201);
  return {
    'd3a91c57-4e06-4f8b-9b2d-71c5e8a0f364': given.body.grant.id,
    '5e8c2f90-7d41-4a3b-8c6e-19b4d7f0a825': asked.body.request.id,
  };
}

describe('docs/command-line.md', () => {
  it('is what `npm run generate -- cli-reference` writes', () => {
    expect(() =>
      execFileSync('npm', ['run', '--silent', 'reference', '-w', '@holdfast/cli', '--', '--check'], { cwd: root }),
    ).not.toThrow();
  });

  it('has an example for every command', () => {
    const commands = [...page.matchAll(/^### (.+)$/gm)].map(match => match[1]);
    expect(commands.length).toBeGreaterThan(30);
    expect(examples.map(({ command }) => command)).toEqual(commands);
    expect(commands).toEqual(expect.arrayContaining([...inBrowser, ...byAgents, ...first, ...last]));
  });

  it('prints examples that work', async () => {
    const { token } = await createToken(api, ada);
    const orderOf = ({ command }: { command: string }) => first.indexOf(command) + 1 || 100 + last.indexOf(command);
    const runnable = examples
      .filter(({ command }) => ![...inBrowser, ...byAgents].includes(command))
      .toSorted((a, b) => orderOf(a) - orderOf(b));
    const ids: Record<string, string> = { ...(await webhookIds()), ...(await grantIds()), ...(await deletedIds()) };
    const printed: Record<string, string> = {};
    for (const { command, example } of runnable) {
      if (command === 'proposals') Object.assign(ids, await proposalIds());
      const named = Object.entries(ids).reduce((text, [printedId, id]) => text.replace(printedId, id), example);
      const script = named.replace('EDITOR=nano', 'EDITOR=true');
      // The organization is not set before the directory is linked.
      const env = {
        HOLDFAST_URL: api.url,
        HOLDFAST_TOKEN: token,
        ...(command === 'projects create' ? { HOLDFAST_ORG: 'acme' } : {}),
      };
      printed[command] = (await cli.shell(script, env)).stdout;
    }
    expect(printed).toMatchObject({
      'projects create': 'web-shop\n',
      get: 'postgres://db.internal/shop',
      run: expect.stringContaining('postgres://db.internal/shop\n'),
      orgs: expect.stringContaining('acme'),
      proposals: expect.stringContaining('ready to apply'),
      'proposals show': expect.stringContaining('\n+ FIRST "made-up"\n'),
      'proposals approve': expect.stringContaining('/organizations/acme/projects/web-shop/environments/dev/proposals/'),
      deleted: expect.stringContaining('project older'),
      history: expect.stringMatching(/^1\t/),
      template: expect.stringContaining('DATABASE_URL'),
      audit: expect.stringContaining('secret.pulled'),
      'webhooks deliveries': expect.stringContaining('webhook.ping'),
      'webhooks redeliver': expect.stringMatching(/^[0-9a-f-]{36}\n$/),
    });
    expect(readFileSync(join(cli.home, '.env.local'), 'utf8')).toContain('DATABASE_URL=');
  }, 600_000);
});
