import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { idTokenSources } from '#clients/sdk/src/index.ts';
import { createProject, createToken, startApi } from '#test/support/api.ts';
import { startAwsPlatform } from '#test/support/aws-platform.ts';
import { fresh, shared, untilEnd } from '#test/support/fixtures.ts';
import { startTokenEndpoint } from '#test/support/github-runner.ts';
import { isRunning } from '#test/support/is-running.ts';
import { identityOf, startIssuer } from '#test/support/issuer.ts';
import { seedPerson } from '#test/support/people.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { buildCli, failure, success } from './cli.ts';

let identityId: string;
let base: Record<string, string>;
const api = shared(startApi);
const issuer = shared(startIssuer);
const ada = shared(seedPerson);
const runner = shared(() => startTokenEndpoint(issuer));
beforeAll(async () => {
  await createProject(api, ada);
  const secrets = { A: 'from the vault' };
  await expectStatus(api.post(`/secrets/${ada.organization.slug}/shop/dev/bulk`, { secrets }, ada.session), 200);
});
const cli = fresh(buildCli);
beforeEach(async () => {
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

const gitHub = (): Record<string, string> => ({ ...base, ...runner.variables });
const showA = ['run', 'sh', '-c', 'echo "$A"'];
const shown = success('from the vault\n');

/** As in a read-only container: even root can't create a directory there. */
const readOnly = { HOME: '/proc/holdfast' };

async function change(changes: Record<string, unknown>): Promise<void> {
  await expectStatus(api.patch(`/identities/${ada.organization.id}/${identityId}`, changes, ada.session), 200);
}

async function exchanges(): Promise<number> {
  const { body } = await api.get(`/audit/${ada.organization.id}?action=identity.token_issued&limit=100`, ada.session);
  return body.entries.filter(({ actor }: { actor: { id: string } }) => actor.id === identityId).length;
}

describe('on GitHub Actions', () => {
  it('signs in by itself, with a token for the identity’s audience', async () => {
    expect(await cli.run(showA, { env: gitHub() })).toEqual(shown);
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
    const agent = `holdfast-cli/${(await cli.run(['--version'])).stdout.trim()}`;
    expect(agents).toEqual([agent, agent]);
  });

  it('finds projects and environments without an account', async () => {
    const { HOLDFAST_PROJECT: _, HOLDFAST_ENV: __, ...env } = gitHub();
    const projects = await cli.run(['projects', '--json'], { env });

    expect(projects).toEqual(success(expect.stringContaining('"shop"')));
    const who = `the identity ${identityId} of ${ada.organization.slug}\n`;
    expect((await cli.run(['whoami'], { env })).stdout).toBe(who);
    const { stdout } = await cli.run(['status', '--json'], { env });
    expect(JSON.parse(stdout).credential.source).toBe('HOLDFAST_IDENTITY, with the token of GitHub Actions');
  });

  it('reports which claims the identity requires instead', async () => {
    await change({ claims: { repository_id: '75' } });
    const ended = await cli.run(['list'], { env: gitHub() });

    expect(ended).toEqual(failure(4, 'do not match the identity: repository_id'));
  });

  it('reports that the job may not request a token', async () => {
    const env = { ...gitHub(), ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'wrong' };
    const problem = 'GitHub Actions returned no token (it answered 401)';
    const stderr = `holdfast: ${problem}: check that the job has the permission id-token: write.\n`;
    expect(await cli.run(['list'], { env })).toEqual({ ...failure(3, ''), stderr });
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
    expect(kept).toEqual([expect.not.stringContaining('service_tok_')]);
    expect(kept).toEqual([expect.not.stringContaining(idToken)]);
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
    const ended = await cli.run(['list'], { env: { ...base, HOLDFAST_ID_TOKEN: subjectToken } });

    expect(ended).toEqual(failure(3, /was already exchanged[\s\S]*tokenMinutes/));
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

  it('starts a container five times with one projected token, where nothing is writable', async () => {
    await change({ singleUse: false });
    const env = { ...base, ...readOnly, HOLDFAST_ID_TOKEN_FILE: cli.file('token', await issuer.token(identityId)) };
    const starts = [];
    for (let start = 0; start < 5; start += 1) starts.push(await cli.run(showA, { env }));

    expect(starts).toEqual(Array(5).fill(shown));
    expect(await exchanges()).toBe(5);
  });

  it('says what to do when a container starts again and the identity’s tokens are single-use', async () => {
    const env = { ...base, ...readOnly, HOLDFAST_ID_TOKEN_FILE: cli.file('token', await issuer.token(identityId)) };
    expect((await cli.run(['run', 'true'], { env })).code).toBe(0);

    const remedies = /Get a new one from its issuer[\s\S]*set `singleUse: false` on the identity/;
    expect(await cli.run(['run', 'true'], { env })).toEqual(failure(125, remedies));
    await change({ singleUse: false });
    expect((await cli.run(['run', 'true'], { env })).code).toBe(0);
  });
});

describe('where nothing is writable', () => {
  it('signs in and starts, and keeps no copy even if it is asked to', async () => {
    const env = { ...base, ...readOnly, HOLDFAST_ID_TOKEN: await issuer.token(identityId), HOLDFAST_CACHE: '1' };
    const { code, stdout, stderr } = await cli.run(showA, { env });

    expect([code, stdout]).toEqual([0, 'from the vault\n']);
    expect(stderr).toMatch(/^holdfast: this pull is not cached: .* can’t be written \(ENOENT\)\.\n$/);
  });

  it('starts with a file in place of the home directory, and with a home directory that can’t be read', async () => {
    for (const HOME of [cli.file('not-a-directory', ''), '/proc/1/no-such-directory', '/dev/null']) {
      const env = { ...base, HOME, HOLDFAST_ID_TOKEN: await issuer.token(identityId) };
      expect(await cli.run(showA, { env })).toEqual(shown);
    }
  });
});

describe.runIf(process.geteuid?.() === 0)('a user without an account', () => {
  it('signs in and starts, without HOME or with one that it may not enter, as with directories in PATH', async () => {
    await change({ singleUse: false });
    for (const path of [cli.home, dirname(cli.bundle)]) chmodSync(path, 0o755);
    const closed = join(cli.home, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const PATH = `${closed}:/usr/bin:/bin`;
    const env = { ...base, HOME: undefined, PATH, HOLDFAST_ID_TOKEN: await issuer.token(identityId) };
    const user = 54_321;

    expect(await cli.run(showA, { env, cwd: cli.home, user })).toEqual(shown);
    const closedHome = { ...env, HOME: closed };
    expect(await cli.run(['run', 'true'], { env: closedHome, cwd: '/', user })).toEqual(success(''));
    const closedPath = { ...env, PATH: closed };
    expect((await cli.run(['run', 'no-such-command'], { env: closedPath, cwd: '/', user })).code).toBe(126);
  });
});

describe('with a command', () => {
  const script = (text: string) => ({ ...base, HOLDFAST_ID_TOKEN_COMMAND: text });

  it('signs in, and passes neither the command nor its token on', async () => {
    const token = cli.file('printed', await issuer.token(identityId));
    const text = `test "$HOLDFAST_AUDIENCE" = holdfast:identity:${identityId} && cat ${token}`;
    const env = { ...script(text), HOLDFAST_ID_TOKEN_SOURCE: 'command', HOLDFAST_ID_TOKEN: 'another' };
    const { code, stdout, stderr } = await cli.run(['run', 'env'], { env });

    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('A=from the vault');
    expect(stdout).not.toMatch(/HOLDFAST_ID_TOKEN|HOLDFAST_AUDIENCE|eyJ|service_tok_/);
  });

  it('shows its standard error if it fails, never its standard output, and tries no other source', async () => {
    const env = { ...script('echo eyJ-part; echo "log in to the vault first" >&2; exit 4'), HOLDFAST_ID_TOKEN: 'eyJ' };
    const problem = 'HOLDFAST_ID_TOKEN_COMMAND ended with exit code 4: set it to a command that prints the token.';
    const stderr = `holdfast: ${problem}\nlog in to the vault first\n`;
    expect(await cli.run(['list'], { env })).toEqual({ ...failure(3, ''), stderr });
    expect((await cli.run(['run', 'true'], { env })).code).toBe(125);
  });

  it('ends it, and everything it started, when it is interrupted', async () => {
    const pids = join(cli.home, 'pids');
    const started = cli.start(['list'], { env: script(`sleep 600 & echo $! > ${pids}; echo ready >> ${pids}; wait`) });
    await expect.poll(() => existsSync(pids) && readFileSync(pids, 'utf8')).toContain('ready');
    started.child.kill('SIGINT');

    expect((await started.ended).signal).toBe('SIGINT');
    const [pid = ''] = readFileSync(pids, 'utf8').split('\n');
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it('is never named by a committed file, nor run for an address that only such a file names', async () => {
    const settings = { organization: 'acme', project: 'shop', environment: 'dev', url: runner.url };
    const ran = join(cli.home, 'ran');
    for (const member of ['idTokenCommand', 'idTokenSource', 'HOLDFAST_ID_TOKEN_COMMAND']) {
      cli.file('.holdfast.json', JSON.stringify({ ...settings, [member]: `touch ${ran}` }));
      expect((await cli.run(['list'], { env: base })).code).toBe(2);
    }
    cli.file('.holdfast.json', JSON.stringify(settings));
    const { HOLDFAST_URL: _, ...env }: Record<string, string> = script(`touch ${ran}`);
    expect((await cli.run(['list'], { env })).code).toBe(3);
    expect(existsSync(ran)).toBe(false);
  });

  it('leaves no more files than the tokens of an hour', async () => {
    const folder = join(cli.home, '.cache/holdfast');
    const text = `cat ${cli.file('printed', await issuer.token(identityId))}`;
    const kept = cli.file(`.cache/holdfast/identity-${'0'.repeat(64)}.json`, '{}');
    const other = cli.file(`.cache/holdfast/${'0'.repeat(64)}.json`, '{}');
    for (const path of [kept, other]) utimesSync(path, new Date(0), new Date(Date.now() - 3_700_000));
    expect((await cli.run(['list'], { env: script(text) })).code).toBe(0);

    expect([existsSync(kept), existsSync(other), readdirSync(folder).length]).toEqual([false, true, 2]);
  });
});

describe('on AWS and Google Cloud', () => {
  it('signs in with a token from STS', async () => {
    const aws = await untilEnd(startAwsPlatform());
    aws.issue = audience => issuer.token(audience.replace('holdfast:identity:', ''));
    const env = {
      ...base,
      ...readOnly,
      HOLDFAST_ID_TOKEN_SOURCE: 'aws',
      AWS_REGION: 'eu-west-1',
      AWS_ENDPOINT_URL_STS: aws.url,
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${aws.url}/container`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: cli.file('container', 'container-token'),
    };
    expect(await cli.run(showA, { env })).toEqual(shown);
    expect(aws.signed.map(({ accessKeyId }) => accessKeyId)).toEqual(['ASIACONTAINER']);
  });

  it('signs in with a token from Google’s metadata server', async () => {
    const google = await untilEnd(
      startReceiver(async response => {
        response.writeHead(200, { 'metadata-flavor': 'Google' }).end(await issuer.token(identityId));
      }),
    );
    const env = { ...base, HOLDFAST_ID_TOKEN_SOURCE: 'gcp', GCE_METADATA_HOST: `127.0.0.1:${google.port}` };
    expect(await cli.run(['get', 'A'], { env })).toEqual(success('from the vault'));
  });

  it.each([
    ['command', 'HOLDFAST_ID_TOKEN_COMMAND is not set'],
    ['aws', 'set AWS_REGION'],
    ['gcp', 'returned no token (ECONNREFUSED): run this on Google Cloud'],
    ['azure', 'set it to command, variable, file, github, aws or gcp'],
  ])('ends with 3 if the source that is named is not there, and tries no other: %s', async (name, sentence) => {
    const given = { HOLDFAST_ID_TOKEN: await issuer.token(identityId), GCE_METADATA_HOST: '127.0.0.1:2' };
    const keys = { AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 's' };
    const ended = await cli.run(['list'], { env: { ...base, ...given, ...keys, HOLDFAST_ID_TOKEN_SOURCE: name } });

    expect(ended).toEqual(failure(3, sentence));
    expect(ended.stderr).toMatch(/^holdfast: [^\n]+\n$/);
    expect(await exchanges()).toBe(0);
  });
});

describe('an identity in the environment', () => {
  it('is described in the help, source by source', async () => {
    const { stdout } = await cli.run(['--help']);
    for (const [name, { toSet }] of Object.entries(idTokenSources))
      expect(stdout).toContain(`${name.padEnd(9)} ${toSet}`);
  });

  it('signs in again if its token was revoked, and does not use the copy of it', async () => {
    await change({ singleUse: false });
    const env = { ...base, HOLDFAST_ID_TOKEN: await issuer.token(identityId) };
    expect((await cli.run(['get', 'A'], { env })).code).toBe(0);
    await change({ claims: { repository_id: ['74', '75'], repository_owner_id: '65' } });

    expect(await cli.run(['get', 'A'], { env })).toEqual(success('from the vault'));
    expect(await exchanges()).toBe(2);
  });

  it('is used only without a token', async () => {
    const { token } = await createToken(api, ada);
    const { stdout } = await cli.run(['whoami'], { env: { ...gitHub(), HOLDFAST_TOKEN: token } });

    expect(stdout).toBe(`${ada.email}\n`);
    expect(await exchanges()).toBe(0);
  });

  it('requires a platform that issues tokens, and an organization', async () => {
    expect(await cli.run(['list'], { env: base })).toEqual(failure(3, 'id-token: write'));
    const { HOLDFAST_ORG: _, ...nowhere } = gitHub();
    expect(await cli.run(['list'], { env: nowhere })).toEqual(failure(2, 'HOLDFAST_ORG'));
  });

  it('is not used with an address that only a committed file names', async () => {
    const settings = { organization: 'acme', project: 'shop', environment: 'dev', url: runner.url };
    cli.file('.holdfast.json', JSON.stringify(settings));
    const { HOLDFAST_URL: _, ...env }: Record<string, string> = { ...base, HOLDFAST_ID_TOKEN: 'eyJ' };
    const received = runner.received.length;

    expect(await cli.run(['list'], { env })).toEqual(failure(3, 'is not sent to'));
    expect(runner.received.length).toBe(received);
  });
});
