import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dotenv-17';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { openAcme } from '#test/support/acme.ts';
import { startApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { parseCommand, type StepResult, startGitHubRunner, type Workflow } from '#test/support/github-runner.ts';
import { identityOf, pipeline, startIssuer } from '#test/support/issuer.ts';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { nastyValues } from '../cli/formats/nasty-values.ts';

const root = join(import.meta.dirname, '../../..');
const folder = join(root, 'clients/github-action');
const path = '/secrets/acme/web-shop';

/** May read dev. */
let identity: string;
const api = shared(startApi);
const issuer = shared(startIssuer);
const ada = shared(seedPerson);
const runner = shared(() => startGitHubRunner(issuer));
const acme = shared(() => openAcme(api, ada));
beforeAll(async () => {
  identity = await createIdentity();
});

async function createIdentity(changes: Record<string, unknown> = {}): Promise<string> {
  const path = `/identities/${acme.organization.id}`;
  return (await expectStatus(api.post(path, identityOf(issuer, changes), ada.session), 201)).body.identity.id;
}

async function store(secrets: Readonly<Record<string, string>>, environment = 'dev'): Promise<number> {
  const { body } = await expectStatus(api.get(`${path}/${environment}/keys`, ada.session), 200);
  const old = body.keys.map(({ key }: { key: string }) => key).filter((key: string) => !Object.hasOwn(secrets, key));
  const set = Object.entries(secrets).map(([key, value]) => ({ key, value }));
  const change = { set, delete: old };
  return (await expectStatus(api.post(`${path}/${environment}/changes`, change, ada.session), 200)).body.revision;
}

const inputs = (changes: Readonly<Record<string, string>> = {}) => ({
  url: api.url,
  organization: 'acme',
  project: 'web-shop',
  environment: 'dev',
  identity,
  ...changes,
});

/** What the step printed that is no mask. */
const saidIn = ({ printed }: StepResult) =>
  printed.split('\n').filter(line => line !== '' && parseCommand(line)?.name !== 'add-mask');

function expectFailure(result: StepResult, sentence: string | RegExp): void {
  expect(saidIn(result)).toEqual([expect.stringMatching(/^::error::[^%]+$/)]);
  expect(result.log).toMatch(sentence);
  expect([result.code, [...result.env], [...result.outputs]]).toEqual([1, [], []]);
}

it.each(['clients/github-action/README.md', 'docs/workload-identity.md'])(
  'the workflow of %s runs as printed: its last step has the secrets, and its log does not',
  async page => {
    const text = /^```yaml\n([\s\S]*?)^```$/m.exec(readFileSync(join(root, page), 'utf8'))?.[1] ?? '';
    const { project } = acme;
    const production = project.environments.find(({ slug }) => slug === 'production');
    const { repository_id, repository_owner_id } = pipeline;
    const deployer = await createIdentity({
      role: 'deployer',
      projectId: project.id,
      environmentId: production?.id,
      claims: { repository_id, repository_owner_id, environment: 'production' },
    });
    const secrets = { DATABASE_URL: 'postgres://db.internal/shop', KEY: 'first line\nsecond "line"\r\n' };
    const revision = await store(secrets, 'production');
    const workflow = parseYaml(
      text.replace('https://secrets.example.com', api.url).replace('a4c7e10b-52d9-8f36-b18e-6d03f9a2c754', deployer),
    ) as Workflow;
    const script = '#!/bin/sh\nprintf %s "$KEY" >key\necho "connecting to $DATABASE_URL"\necho "$KEY"\n';
    writeFileSync(join(runner.workspace, 'deploy.sh'), script, { mode: 0o755 });

    const [action, deploy, ...more] = await runner.runJob(workflow, 'deploy');

    expect([action?.code, deploy?.code, more]).toEqual([0, 0, []]);
    expect(Object.fromEntries(action?.outputs ?? [])).toEqual({ revision: String(revision) });
    expect(readFileSync(join(runner.workspace, 'key'), 'utf8')).toBe(secrets.KEY);
    expect(deploy?.printed).toContain('postgres://db.internal/shop');
    expect(deploy?.log).toBe('connecting to ***\n***\n***\n');
  },
);

describe('values', () => {
  const nasty = [
    'one line',
    'one\ntwo\n\nthree\n',
    'one\r\ntwo\r\n',
    '\r',
    ' in space\t',
    'EOF',
    'A<<EOF\nx\nEOF\n',
    'ghadelimiter_1\nB=c',
    '::set-output name=revision::9',
    '::stop-commands::x\n::add-mask::y\n::error::z',
    '##[add-mask]x',
    '100%0A%25%0D',
    '{"a": "b\\n\\"c\\""}',
    '-----BEGIN KEY-----\nabc=\n-----END KEY-----\n',
    'x'.repeat(65_536),
    '',
    '  ',
    ...nastyValues(60, 27).filter(value => !value.includes('\0')),
  ];
  const secrets = Object.fromEntries(nasty.map((value, index) => [`K${index}`, value]));

  it('reach the next steps unchanged, and are masked as a whole and line by line before anything else', async () => {
    const all = { ...secrets, 'A.b-c': 'odd name', constructor: 'another', ['__proto__']: 'a third' };
    const revision = await store(all);
    const result = await runner.runAction(folder, inputs({ mask: 'all' }));

    expect([result.code, saidIn(result)]).toEqual([0, []]);
    expect(result.env).toEqual(new Map(Object.entries(all)));
    expect([...result.outputs]).toEqual([['revision', String(revision)]]);
    const linesOf = (value: string) => value.split(/[\r\n]+/);
    const texts = nasty.flatMap(value => [value, ...linesOf(value), ...linesOf(value).map(line => line.trim())]);
    expect(texts.filter(text => text.trim() !== '' && !result.masks.includes(text))).toEqual([]);
    expect(result.masks.filter(mask => mask.trim() === '')).toEqual([]);
    for (const start of [/^eyJ/, /^service_tok_/]) expect(result.masks).toContainEqual(expect.stringMatching(start));
  });

  it('are masked where that hides no harmless text, and the log names the others', async () => {
    const json = '{\n  "key": "0123456789",\n  "on": true\n}\n';
    const harmless = { PORT: '8080', ON: 'true', REPLICAS: '4', EMPTY: '' };
    await store({ ...harmless, PIN: 'x7Kq', TOKEN: 'correct-horse', JSON: json });
    const result = await runner.runAction(folder, inputs());

    const note = 'Too short or too common to be masked: ON, PORT, REPLICAS. To mask them too: mask: all';
    expect([result.code, saidIn(result)]).toEqual([0, [note]]);
    expect(result.masks).toEqual(expect.arrayContaining(['x7Kq', 'correct-horse', '  "key": "0123456789",']));
    for (const text of ['8080', 'true', '4', '{', '}']) expect(result.masks).not.toContain(text);
  });

  it('are masked but not exported where export-env is false, and written to a file of the job’s user alone', async () => {
    const own = { A: 'one', B: 'two\nthree' };
    await store(own);
    symlinkSync('/etc/hostname', join(runner.workspace, '.env'));
    const changes = { mask: 'all', 'export-env': 'false', 'output-file': '.env' };
    const result = await runner.runAction(folder, inputs(changes));
    const file = join(runner.workspace, '.env');

    expect([result.code, saidIn(result), [...result.env]]).toEqual([0, [], []]);
    expect(result.masks).toEqual(expect.arrayContaining(['one', 'two', 'three']));
    expect(parse(readFileSync(file))).toEqual(own);
    expect([statSync(file).mode & 0o777, statSync(file).isFile()]).toEqual([0o600, true]);
    rmSync(file);
  });

  it('are written in the format that is named', async () => {
    await store({ A: 'one', B: '{"a": "\\n"}' });
    await runner.runAction(folder, inputs({ 'output-file': 'secrets.json', format: 'json' }));
    const text = readFileSync(join(runner.workspace, 'secrets.json'), 'utf8');

    expect(JSON.parse(text)).toEqual({ A: 'one', B: '{"a": "\\n"}' });
  });

  it('are only those of the named keys', async () => {
    await store({ A: 'one', B: 'two', PATH: '/tmp' });
    const result = await runner.runAction(folder, inputs({ keys: 'A,\n  B' }));

    expect(Object.fromEntries(result.env)).toEqual({ A: 'one', B: 'two' });
    expectFailure(await runner.runAction(folder, inputs({ keys: 'A C' })), /\bC\b/);
  });
});

describe('layers', () => {
  const layered = (changes: Readonly<Record<string, string>> = {}) =>
    inputs({ layers: 'web-shop/staging', ...changes });

  it('lie below the environment, as an identity of both, and the outputs have both revisions', async () => {
    const revision = await store({ A: 'own', B: 'own' });
    const below = await store({ B: 'hidden', C: 'shared' }, 'staging');
    const environmentIds = ['staging', 'dev'].map(
      env => acme.project.environments.find(({ slug }) => slug === env)?.id,
    );
    const ofBoth = await createIdentity({ role: 'deployer', environmentIds });
    const result = await runner.runAction(folder, layered({ identity: ofBoth }));

    expect(Object.fromEntries(result.env)).toEqual({ A: 'own', B: 'own', C: 'shared' });
    expect(Object.fromEntries(result.outputs)).toEqual({
      revision: String(revision),
      revisions: `web-shop/staging@${below},web-shop/dev@${revision}`,
    });
    const some = await runner.runAction(folder, layered({ identity: ofBoth, keys: 'C' }));
    expect(Object.fromEntries(some.env)).toEqual({ C: 'shared' });
  });

  it('are nothing if one of them is refused or is not named as it has to be', async () => {
    expectFailure(await runner.runAction(folder, layered({ layers: 'web-shop/nowhere' })), 'acme/web-shop/nowhere: ');
    const sentence = 'The input layers must name each environment as project/environment.';
    expectFailure(await runner.runAction(folder, layered({ layers: 'staging' })), sentence);
  });
});

describe('a secret that may not be exported', () => {
  it.each([
    ['NODE_OPTIONS', 'rejected by the runner'],
    ['node_options', 'rejected by the runner'],
    ['GITHUB_TOKEN', 'sets itself'],
    ['RUNNER_TEMP', 'sets itself'],
    ['ACTIONS_ALLOW_UNSECURE_COMMANDS', 'sets itself'],
    ['PATH', 'decides which program'],
    ['LD_PRELOAD', 'decides which program'],
    ['HOLDFAST_TOKEN', 'a setting of holdfast itself'],
  ])('%s fails the step, which exports and writes nothing', async (key, reason) => {
    await store({ A: 'fine', [key]: 'never shown' });
    const result = await runner.runAction(folder, inputs({ 'output-file': 'none' }));

    expectFailure(result, `##[error]Nothing was exported, because ${key} `);
    expect(result.log).toContain(reason);
    expect(result.log).not.toMatch(/never shown|fine/);
    expect(readdirSync(runner.workspace)).not.toContain('none');
  });

  it('is not written to a file of variables either, only to one of data', async () => {
    await store({ A: 'fine', LD_PRELOAD: 'kept' });
    const file = (format: string) =>
      runner.runAction(folder, inputs({ 'export-env': 'false', 'output-file': 'out', format }));
    expectFailure(await file('docker'), 'Nothing was written as docker, because LD_PRELOAD decides which program');
    expect(existsSync(join(runner.workspace, 'out'))).toBe(false);
    expect((await file('json')).code).toBe(0);
  });

  it('is exported and written anyway if allow-name lists it, and no other is', async () => {
    await store({ A: 'fine', LD_PRELOAD: '/a.so', BASH_ENV: '/b' });
    const run = (names: string) =>
      runner.runAction(folder, inputs({ 'allow-name': names, 'output-file': 'allowed.env', format: 'docker' }));
    const reason = 'because BASH_ENV makes a shell run code; to pass it anyway: allow-name: BASH_ENV';
    expectFailure(await run('LD_PRELOAD'), reason);
    const { code, env } = await run('LD_PRELOAD,\n  BASH_ENV');
    expect([code, env.get('LD_PRELOAD'), env.get('BASH_ENV')]).toEqual([0, '/a.so', '/b']);
    expect(readFileSync(join(runner.workspace, 'allowed.env'), 'utf8')).toContain('LD_PRELOAD=/a.so');
  });

  it('is one that no variable or no format can hold', async () => {
    await store({ A: 'a\0b', B: 'fine' });
    expectFailure(await runner.runAction(folder, inputs()), 'A contains a NUL character');
    await store({ A: 'one\ntwo' });
    const docker = await runner.runAction(folder, inputs({ 'output-file': 'docker.env', format: 'docker' }));
    expectFailure(docker, 'Nothing was written as docker, because A ');
    expect(existsSync(join(runner.workspace, 'docker.env'))).toBe(false);
  });
});

describe('a step that fails', () => {
  beforeEach(async () => {
    await store({ A: 'never shown' });
  });

  it.each([
    [{ url: 'http://secrets.example.com' }, 'The input url must be'],
    [{ url: '' }, 'The input url is missing'],
    [{ identity: '' }, 'The input identity is missing'],
    [{ 'export-env': 'maybe' }, 'The input export-env must be true or false'],
    [{ mask: 'some' }, 'The input mask must be auto or all'],
    [{ wait: 'long' }, 'The input wait must be a time up to a day'],
    [{ format: 'json' }, 'set output-file as well'],
    [{ 'output-file': 'x', format: 'github' }, 'The input format must be one of env, '],
  ])('says which input is wrong, before it signs in: %j', async (changes, sentence) => {
    const before = runner.tokens.received.length;
    expectFailure(await runner.runAction(folder, inputs(changes)), sentence);
    expect(runner.tokens.received.length).toBe(before);
  });

  it('says that the job lacks the permission to sign in', async () => {
    const result = await runner.runAction(folder, inputs(), {});
    expectFailure(result, 'The job can’t get an ID token: give it the permission id-token: write.');
    expect(result.masks).toEqual([]);
  });

  it('says that the identity or the environment is not there', async () => {
    const others = [{ identity: crypto.randomUUID() }, { environment: 'production' }, { project: 'nowhere' }];
    for (const changes of others) expectFailure(await runner.runAction(folder, inputs(changes)), /\w/);
  });

  it('writes no file where a link leads out of the workspace', async () => {
    mkdirSync(join(runner.workspace, '../outside'), { recursive: true });
    symlinkSync('../outside', join(runner.workspace, 'link'));
    const result = await runner.runAction(folder, inputs({ 'output-file': 'link/.env' }));

    expectFailure(result, 'a link leads out of the workspace');
    expect(readdirSync(join(runner.workspace, '../outside'))).toEqual([]);
    expectFailure(await runner.runAction(folder, inputs({ 'output-file': 'no/where' })), 'ENOENT');
  });
});

it('leaves no token behind', async () => {
  await store({ A: 'one' });
  const { masks } = await runner.runAction(folder, inputs());
  const token = masks.find(mask => mask.startsWith('service_tok_')) ?? '';

  expect((await api.get(`${path}/dev`, { token })).status).toBe(401);
});
