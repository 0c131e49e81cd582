import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Api, createProject, createToken, startApi } from '../../support/api.ts';
import { type Issuer, identityOf, startIssuer } from '../../support/issuer.ts';
import { type Person, seedPerson } from '../../support/people.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { expectStatus } from '../../support/sample-requests.ts';
import { buildCli, type Cli } from './cli.ts';

let api: Api;
let issuer: Issuer;
let runner: Receiver;
let ada: Person;
let cli: Cli;
let identityId: string;
let base: Record<string, string>;

/** The response of a GitHub Actions runner to a job that may request a token. */
async function startRunner(): Promise<Receiver> {
  return startReceiver(async (response, { path, headers }) => {
    const { searchParams } = new URL(path, 'http://runner');
    const isJob = headers.authorization === 'Bearer runner-secret' && searchParams.get('api-version') === '2.0';
    if (!isJob) return response.writeHead(401).end();
    const identity = (searchParams.get('audience') ?? '').replace('holdfast:identity:', '');
    return response.end(JSON.stringify({ count: 1, value: await issuer.token(identity) }));
  });
}

beforeAll(async () => {
  api = await startApi();
  [issuer, ada, runner] = await Promise.all([startIssuer(), seedPerson(), startRunner()]);
  await createProject(api, ada);
  const secrets = { A: 'from the vault' };
  await expectStatus(api.post(`/secrets/${ada.organization.slug}/shop/dev/bulk`, { secrets }, ada.session), 200);
});
beforeEach(async () => {
  cli = buildCli();
  const made = await expectStatus(api.post(`/identities/${ada.organization.id}`, identityOf(issuer), ada.session), 201);
  identityId = made.body.identity.id;
  base = {
    HOLDFAST_URL: api.url,
    HOLDFAST_IDENTITY: identityId,
    HOLDFAST_ORG: ada.organization.slug,
    HOLDFAST_PROJECT: 'shop',
    HOLDFAST_ENV: 'dev',
  };
});
afterEach(async () => {
  cli.remove();
  await api.delete(`/identities/${ada.organization.id}/${identityId}`, ada.session);
});
afterAll(async () => {
  await Promise.all([api?.stop(), issuer?.stop(), runner?.stop()]);
});

const gitHub = (): Record<string, string> => ({
  ...base,
  ACTIONS_ID_TOKEN_REQUEST_URL: `${runner.url}/token?api-version=2.0`,
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'runner-secret',
});

async function exchanges(): Promise<number> {
  const { body } = await api.get(`/audit/${ada.organization.id}?action=identity.token_issued&limit=100`, ada.session);
  return body.entries.filter(({ actor }: { actor: { id: string } }) => actor.id === identityId).length;
}

describe('on GitHub Actions', () => {
  it('signs in by itself, with a token for the identity’s audience', async () => {
    const { code, stdout, stderr } = await cli.run(['run', 'sh', '-c', 'echo "$A"'], { env: gitHub() });

    expect([code, stdout, stderr]).toEqual([0, 'from the vault\n', '']);
    const asked = new URL(runner.received.at(-1)?.path ?? '', runner.url);
    expect(asked.searchParams.get('audience')).toBe(`holdfast:identity:${identityId}`);
    expect(await exchanges()).toBe(1);
    expect(readdirSync(cli.home)).not.toContain('.cache');
  });

  it('is named in the audit log with its version, even when signing in', async () => {
    expect((await cli.run(['get', 'A'], { env: gitHub() })).code).toBe(0);
    const agents = await Promise.all(
      ['identity.token_issued', 'secret.pulled'].map(async action => {
        const path = `/audit/${ada.organization.id}?action=${action}&limit=1`;
        return (await expectStatus(api.get(path, ada.session), 200)).body.entries[0].userAgent;
      }),
    );
    const { stdout } = await cli.run(['--version']);
    expect(agents).toEqual([`holdfast-cli/${stdout.trim()}`, `holdfast-cli/${stdout.trim()}`]);
  });

  it('finds projects and environments without an account', async () => {
    const { HOLDFAST_PROJECT: _, HOLDFAST_ENV: __, ...env } = gitHub();
    const projects = await cli.run(['projects', '--json'], { env });
    const who = await cli.run(['whoami'], { env });

    expect([projects.code, projects.stderr]).toEqual([0, '']);
    expect(projects.stdout).toContain('"shop"');
    expect(who.stdout).toBe(`the identity ${identityId} of ${ada.organization.slug}\n`);
    const { stdout } = await cli.run(['status', '--json'], { env });
    expect(JSON.parse(stdout).credential.source).toBe('HOLDFAST_IDENTITY, with the token of GitHub Actions');
  });

  it('reports which claims the identity requires instead', async () => {
    const path = `/identities/${ada.organization.id}/${identityId}`;
    await expectStatus(api.patch(path, { claims: { repository_id: '75' } }, ada.session), 200);
    const { code, stderr } = await cli.run(['list'], { env: gitHub() });

    expect(code).toBe(4);
    expect(stderr).toContain('do not match the identity: repository_id');
  });

  it('reports that the job may not request a token', async () => {
    const env = { ...gitHub(), ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'wrong' };
    const { code, stderr } = await cli.run(['list'], { env });

    expect(code).toBe(1);
    expect(stderr).toContain('GitHub Actions returned no token (it answered 401).');
    expect(stderr).not.toContain('wrong');
  });
});

describe('on GitLab', () => {
  it('signs in once for all commands of a job, and stores nothing that another job could use', async () => {
    const idToken = await issuer.token(identityId);
    const env = { ...base, HOLDFAST_ID_TOKEN: idToken };
    const ends = [];
    for (let time = 0; time < 3; time += 1) ends.push(await cli.run(['get', 'A'], { env }));

    expect(ends.map(({ code, stdout }) => [code, stdout])).toEqual(Array(3).fill([0, 'from the vault']));
    expect(await exchanges()).toBe(1);
    const folder = join(cli.home, '.cache/holdfast');
    const kept = readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8'));
    expect(kept).toHaveLength(1);
    expect(kept.join()).not.toContain('service_tok_');
    expect(kept.join()).not.toContain(idToken);
  });

  it('does not pass the token to the command that it runs', async () => {
    const env = { ...base, HOLDFAST_ID_TOKEN: await issuer.token(identityId) };
    const { stdout } = await cli.run(['run', 'env'], { env });

    expect(stdout).toContain('A=from the vault');
    expect(stdout).not.toMatch(/HOLDFAST_ID_TOKEN|eyJ|service_tok_/);
  });

  it('explains what to do about a token that was used elsewhere', async () => {
    const subjectToken = await issuer.token(identityId);
    const body = { identityId, organizationSlug: ada.organization.slug, subjectToken };
    await expectStatus(api.post('/auth/exchange', body), 201);
    const { code, stderr } = await cli.run(['list'], { env: { ...base, HOLDFAST_ID_TOKEN: subjectToken } });

    expect(code).toBe(3);
    expect(stderr).toContain('was already exchanged');
    expect(stderr).toContain('tokenMinutes');
  });
});

describe('on Kubernetes', () => {
  it('signs in with the projected file, and reads it again each time', async () => {
    const file = cli.file('token', `${await issuer.token(identityId)}\n`, 0o600);
    const env = { ...base, HOLDFAST_ID_TOKEN_FILE: file };
    const first = await cli.run(['get', 'A'], { env });
    cli.file('token', await issuer.token(identityId), 0o600);
    const second = await cli.run(['get', 'A'], { env });

    expect([first.stdout, second.stdout]).toEqual(['from the vault', 'from the vault']);
    expect(await exchanges()).toBe(2);
  });
});

describe('an identity in the environment', () => {
  it('is used only without a token', async () => {
    const { token } = await createToken(api, ada);
    const { stdout } = await cli.run(['whoami'], { env: { ...gitHub(), HOLDFAST_TOKEN: token } });

    expect(stdout).toBe(`${ada.email}\n`);
    expect(await exchanges()).toBe(0);
  });

  it('requires a platform that issues tokens, and an organization', async () => {
    const alone = await cli.run(['list'], { env: base });
    const { HOLDFAST_ORG: _, ...nowhere } = gitHub();
    const homeless = await cli.run(['list'], { env: nowhere });

    expect([alone.code, homeless.code]).toEqual([3, 2]);
    expect(alone.stderr).toContain('id-token: write');
    expect(homeless.stderr).toContain('HOLDFAST_ORG');
  });

  it('is not used with an address that only a committed file names', async () => {
    const settings = { organization: 'acme', project: 'shop', environment: 'dev', url: runner.url };
    cli.file('.holdfast.json', JSON.stringify(settings));
    const { HOLDFAST_URL: _, ...env }: Record<string, string> = { ...base, HOLDFAST_ID_TOKEN: 'eyJ' };
    const before = runner.received.length;
    const { code, stderr } = await cli.run(['list'], { env });

    expect(code).toBe(3);
    expect(stderr).toContain('is not sent to');
    expect(runner.received.length).toBe(before);
  });
});
