import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildDownloads } from '#clients/cli/build-downloads.ts';
import { type Api, createToken, startApi } from '#test/support/api.ts';
import { openWorkplace, type Workplace } from '#test/support/environments.ts';
import { type Issuer, identityOf, startIssuer } from '#test/support/issuer.ts';
import { type Person, seedOwner } from '#test/support/people.ts';
import { type Receiver, startReceiver } from '#test/support/receiver.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { type Image, makeImage, reportSkipped, type Shell, shells } from './image.ts';

let api: Api;
let owner: Person;
let issuer: Issuer;
let runner: Receiver;
let place: Workplace;
let image: Image;
let identityId: string;
let base: Record<string, string>;

/** The response of a GitHub Actions runner to a job that may request a token. */
function startRunner(): Promise<Receiver> {
  return startReceiver(async (response, { path, headers }) => {
    const { searchParams } = new URL(path, 'http://runner');
    if (headers.authorization !== 'Bearer runner-secret' || searchParams.get('api-version') !== '2.0') {
      return response.writeHead(401).end();
    }
    const value = await issuer.token((searchParams.get('audience') ?? '').replace('holdfast:identity:', ''));
    return response.end(JSON.stringify({ count: 1, value }, null, 2));
  });
}

beforeAll(async () => {
  reportSkipped();
  [api, issuer] = await Promise.all([startApi(), startIssuer()]);
  [owner, runner] = await Promise.all([seedOwner(), startRunner()]);
  image = makeImage([...new Set(shells.map(({ command: [program = ''] }) => program)), 'curl'], ['env']);
  image.file('run.sh', (await buildDownloads())(api.url).get('/run.sh') ?? '');
  place = await openWorkplace(api, owner);
  await expectStatus(place.set('dev', 'A', 'from the vault'), 200, 201);
});
afterAll(async () => {
  image?.remove();
  await Promise.all([api?.stop(), issuer?.stop(), runner?.stop()]);
});
beforeEach(async () => {
  const made = api.post(`/identities/${owner.organization.id}`, identityOf(issuer), owner.session);
  identityId = (await expectStatus(made, 201)).body.identity.id;
  base = {
    HOLDFAST_URL: api.url,
    HOLDFAST_ORG: owner.organization.slug,
    HOLDFAST_PROJECT: place.project.slug,
    HOLDFAST_ENV: 'dev',
    HOLDFAST_IDENTITY: identityId,
  };
});

const gitHub = () => ({
  ACTIONS_ID_TOKEN_REQUEST_URL: `${runner.url}/token?api-version=2.0`,
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'runner-secret',
});
const run = (shell: Shell, more: Record<string, string>) =>
  image.run(shell, '/run.sh', ['/other/env'], { env: { ...base, ...more } });

describe.each(shells)('run.sh in $name', shell => {
  async function expectSecrets(more: Record<string, string>): Promise<void> {
    const { code, stdout, stderr } = await run(shell, more);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toContain('A=from the vault');
    expect(stdout).not.toMatch(/_TOKEN|eyJ|service_tok_|runner-secret/);
  }

  it('takes a token from a file, with or without a line break at its end', async () => {
    const { token } = await createToken(api, owner);
    for (const text of [token, `${token}\n`, ` ${token}\r\n`, `\ufeff\r\n${token}\r\n\r\n`]) {
      image.file('tmp/token', text);
      await expectSecrets({ HOLDFAST_TOKEN_FILE: image.seenAs('/tmp/token') });
    }
    // The command line takes this around any setting.
    const around = Object.entries(base).map(([name, value]) => [name, `\ufeff ${value}\t\r\n`]);
    await expectSecrets({ ...Object.fromEntries(around), HOLDFAST_TOKEN: ` ${token}\r\n` });
  });

  it('signs in as an identity with the token of a variable, of a file or of GitHub Actions', async () => {
    await expectSecrets({ HOLDFAST_ID_TOKEN: await issuer.token(identityId) });
    image.file('tmp/id-token', `${await issuer.token(identityId)}\n`);
    await expectSecrets({ HOLDFAST_ID_TOKEN_FILE: image.seenAs('/tmp/id-token') });
    await expectSecrets(gitHub());

    const { entries } = (await api.get(`/audit/${owner.organization.id}?limit=2`, owner.session)).body;
    for (const { actor, userAgent } of entries) {
      expect(actor.id).toBe(identityId);
      expect(userAgent).toMatch(/^holdfast-run\.sh\/\d+\.\d+\.\d+$/);
    }
  });

  it('takes the source that is named, or else the first that is there, and a token before any', async () => {
    const [HOLDFAST_ID_TOKEN, { token }] = [await issuer.token(identityId), await createToken(api, owner)];
    image.file('tmp/spoiled', 'spoiled\n');
    const spoiled = { HOLDFAST_ID_TOKEN_FILE: image.seenAs('/tmp/spoiled') };
    await expectSecrets({ ...gitHub(), ...spoiled, HOLDFAST_ID_TOKEN });
    await expectSecrets({ ...gitHub(), ...spoiled, HOLDFAST_ID_TOKEN: 'spoiled', HOLDFAST_ID_TOKEN_SOURCE: 'github' });
    await expectSecrets({ ...spoiled, HOLDFAST_ID_TOKEN_COMMAND: 'exit 1', HOLDFAST_TOKEN: token });
    await expectSecrets({ HOLDFAST_IDENTITY: '', HOLDFAST_TOKEN: token });
  });

  it.each([
    [{ HOLDFAST_ID_TOKEN_SOURCE: 'aws' }, "can't use the ID token source aws, only variable, file and github"],
    [{ HOLDFAST_ID_TOKEN_SOURCE: 'gcp' }, "can't use the ID token source gcp"],
    [{ HOLDFAST_ID_TOKEN_COMMAND: 'printenv X' }, "can't use the ID token source command"],
    [{ HOLDFAST_ID_TOKEN_SOURCE: 'file', HOLDFAST_ID_TOKEN: 'x' }, 'the ID token of the source file is missing'],
    [{ HOLDFAST_ID_TOKEN_SOURCE: 'variable' }, 'the ID token of the source variable is missing'],
    [{}, 'ACTIONS_ID_TOKEN_REQUEST_URL is missing'],
    [{ HOLDFAST_ID_TOKEN: 'two words' }, 'the ID token of the source variable is missing or has characters'],
    [{ HOLDFAST_ID_TOKEN: 'x.y.z' }, 'the identity could not sign in: {"error":{"code":"invalid_assertion"'],
  ])('ends with 125 without an ID token that it can use: %j', async (more, sentence) => {
    const { code, stdout, stderr } = await run(shell, more as Record<string, string>);
    expect([code, stdout]).toEqual([125, '']);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/x\.y\.z|two words/);
  });

  it('reports why GitHub Actions or the service refuses', async () => {
    const refused = await run(shell, { ...gitHub(), ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'wrong' });
    expect(refused).toMatchObject({ code: 125, stdout: '' });
    expect(refused.stderr).toBe(
      'run.sh: GitHub Actions returned no token (the job needs id-token: write): 401, curl ended with 0\n',
    );
    const other = await run(shell, { HOLDFAST_ID_TOKEN: await issuer.token(identityId, { repository_id: '75' }) });
    expect(other).toMatchObject({ code: 125, stdout: '' });
    expect(other.stderr).toContain('"code":"claims_mismatch"');
    const HOLDFAST_ID_TOKEN = await issuer.token(identityId);
    await expectSecrets({ HOLDFAST_ID_TOKEN });
    expect((await run(shell, { HOLDFAST_ID_TOKEN })).stderr).toContain('"code":"assertion_replayed"');
  });
});
