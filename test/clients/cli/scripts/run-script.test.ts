import { chmodSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { createToken, startApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { startTokenEndpoint } from '#test/support/github-runner.ts';
import { identityOf, startIssuer } from '#test/support/issuer.ts';
import { numbered } from '#test/support/numbered.ts';
import { seedOwner } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { seed } from '#test/support/seed.ts';
import { failure, success, variablesOf } from '../cli.ts';
import { nastyValues } from '../formats/nasty-values.ts';
import { busybox, makeBusyboxImage, makeShellImage, type Shell, shells } from './image.ts';

const api = shared(startApi);
const issuer = shared(startIssuer);
const runner = shared(() => startTokenEndpoint(issuer));
const owner = shared(seedOwner);
const token = shared(() => createToken(api, owner));
const image = shared(() => makeShellImage(api.url, ['curl'], ['env', 'true', 'cat']));
/** Without curl. */
const alone = shared(() => makeBusyboxImage(api.url));
const place = fresh(() => openWorkplace(api, owner));
const endingOf = ({ pid: _, ...ending }: Awaited<ReturnType<typeof image.run>>) => ending;

const settings = (more: Record<string, string | undefined> = {}) => ({
  ...variablesOf(api.url.replace('/v1', ''), token.token, `${owner.organization.slug}/${place.project.slug}/dev`),
  ...more,
});
const run = (shell: Shell, words: readonly string[], more: Record<string, string | undefined> = {}) =>
  image.run(shell, '/run.sh', words, { env: settings(more) });

async function variables(shell: Shell, more: Record<string, string | undefined> = {}): Promise<Map<string, string>> {
  const { code, stdout, stderr } = await run(shell, ['/other/env', '-0'], more);
  if (code !== 0 || stderr !== '') throw new Error(`run.sh ended with ${code}: ${stderr}`);
  return variablesIn(stdout);
}

function variablesIn(stdout: string): Map<string, string> {
  const entries = stdout.split('\0').slice(0, -1);
  return new Map(entries.map(entry => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]));
}

describe.each(shells)('run.sh in $name', shell => {
  it('runs the command with the secrets and the revision, and without the token', async () => {
    await place.importAll('dev', { A: 'one', B: '', LC_ALL: 'POSIX', hf_body: 'two', hf_token: 'three' });
    const given = { A: 'of the caller', hf_answer: 'exported', hf_text: 'exported', KEPT: 'yes' };
    const tokens = { HOLDFAST_TOKEN_OLD: 'x', HOLDFAST_ID_TOKEN: 'y\nHOLDFAST_TOKEN_Z=z' };
    const found = await variables(shell, { ...given, ...tokens });

    const { PATH, PWD: _, _: __, SHLVL: ___, OLDPWD: ____, ...rest } = Object.fromEntries(found);
    const { HOLDFAST_TOKEN: _____, ...others } = settings();
    const secrets = { A: 'one', B: '', LC_ALL: 'POSIX', hf_body: 'two', hf_token: 'three' };
    expect(rest).toEqual({ ...others, ...secrets, KEPT: 'yes', HOLDFAST_REVISION: '1' });
    expect(PATH).toMatch(/\/bin$/);
  });

  it('keeps the caller’s locale, and starts the command without any secrets too', async () => {
    expect((await variables(shell, { LC_ALL: 'POSIX' })).get('LC_ALL')).toBe('POSIX');
    expect((await variables(shell)).has('LC_ALL')).toBe(false);
  });

  it('runs the command with layers, the later ones over the earlier ones, and the revision of each', async () => {
    const below = await openWorkplace(api, owner);
    await below.importAll('dev', { A: 'base', B: 'base', C: 'base' });
    await below.importAll('staging', { B: 'shared', C: 'shared' });
    await below.set('staging', 'D', 'shared');
    await place.importAll('dev', { C: 'shop' });
    const names = [`${below.project.slug}/dev`, `${below.project.slug}/staging`];
    const found = await variables(shell, { HOLDFAST_LAYERS: names.join() });
    expect(['A', 'B', 'C', 'D'].map(key => found.get(key))).toEqual(['base', 'shared', 'shop', 'shared']);
    expect(found.get('HOLDFAST_REVISION')).toBe(`${names[0]}@1,${names[1]}@2,${place.project.slug}/dev@1`);
    const one = await variables(shell, { HOLDFAST_LAYERS: names[0] });
    expect([one.get('D'), one.get('HOLDFAST_REVISION')]).toEqual([
      undefined,
      `${names[0]}@1,${place.project.slug}/dev@1`,
    ]);
  });

  it('is replaced by the command, which keeps the process, standard input, arguments and exit code', async () => {
    await place.set('dev', 'A', 'one');
    const [program = '', ...rest] = shell.command;
    const script = 'read -r line; echo "$$ $line $A $#:$1:$2"; exit 7';
    const words = [`/bin/${program}`, ...rest, '-c', script, 'name', "it's", ''];
    const options = { env: settings(), input: 'typed\n' };
    const { code, stdout, pid } = await image.run(shell, '/run.sh', ['--', ...words], options);

    expect([code, stdout]).toEqual([7, `${pid} typed one 2:it's:\n`]);
  });

  it('ends with 125 to 127 for its own failures, and never starts the command then', async () => {
    image.file('not-executable', 'x');
    chmodSync(image.pathOf('not-executable'), 0o644);
    const ran = ['/other/env'];
    const viewer = await createToken(api, await place.member('viewer'));
    const cases: [number, RegExp, readonly string[], Record<string, string | undefined>][] = [
      [125, /there is no command/, [], {}],
      [125, /there is no command/, ['-x'], {}],
      [125, /HOLDFAST_ORG is missing/, ran, { HOLDFAST_ORG: undefined }],
      [125, /HOLDFAST_ENV is missing or has characters other/, ran, { HOLDFAST_ENV: '../dev' }],
      [125, /HOLDFAST_LAYERS is missing or has characters other/, ran, { HOLDFAST_LAYERS: 'a/b&keys=A' }],
      [125, /could not be pulled: \{"error":\{"code":"invalid_request"/, ran, { HOLDFAST_LAYERS: 'shared' }],
      [125, /"code":"project_not_found".*nowhere\/dev/, ran, { HOLDFAST_LAYERS: 'nowhere/dev' }],
      [125, /HOLDFAST_URL is missing/, ran, { HOLDFAST_URL: undefined }],
      [125, /HOLDFAST_URL must be the https address/, ran, { HOLDFAST_URL: 'http://127.0.0.1.example.com' }],
      [125, /HOLDFAST_URL must be the https address/, ran, { HOLDFAST_URL: 'http://localhost.example.com' }],
      [125, /HOLDFAST_URL is missing or has/, ran, { HOLDFAST_URL: 'https://example.com"\n' }],
      [125, /HOLDFAST_IDENTITY is missing/, ran, { HOLDFAST_TOKEN: '' }],
      [125, /the token of HOLDFAST_TOKEN is missing or has/, ran, { HOLDFAST_TOKEN: 'a"\nurl = "http://127.0.0.1:1' }],
      [
        125,
        /the token of the file \/no\/file is missing/,
        ran,
        { HOLDFAST_TOKEN: '', HOLDFAST_TOKEN_FILE: '/no/file' },
      ],
      [125, /could not be pulled: \{"error":\{"code":"unauthenticated"/, ran, { HOLDFAST_TOKEN: 'service_tok_x' }],
      [125, /"code":"forbidden"/, ran, { HOLDFAST_TOKEN: viewer.token, HOLDFAST_ENV: 'production' }],
      [125, /could not be pulled: \{"error":\{"code":"environment_not_found"/, ran, { HOLDFAST_ENV: 'nowhere' }],
      [125, /could not be pulled: no answer, curl ended with 7/, ran, { HOLDFAST_URL: 'http://127.0.0.1:1' }],
      [127, /not found|No such file/, ['no-such-command'], {}],
      [127, /not found|No such file/, ['/no-such-command'], {}],
      [126, /ermission denied/, ['/not-executable'], {}],
    ];
    for (const [code, message, words, more] of cases) {
      expect(endingOf(await run(shell, words, more)), String(message)).toEqual(failure(code, message));
    }
  });

  it('refuses the names that run refuses, with the same reasons, unless they are allowed', async () => {
    await place.importAll('dev', { BASH_ENV: '/never-shown', LD_BIND_NOW: '1', A: 'one' });
    const refused = async (more = {}) => endingOf(await run(shell, ['/other/env'], more));
    const reason = '"key":"BASH_ENV","reason":"makes a shell run code; to pass it anyway: allow=BASH_ENV"';
    expect(await refused()).toEqual(failure(125, new RegExp(`^(?!.*never-shown).*${reason}`, 's')));
    expect(await refused({ HOLDFAST_ALLOW_NAME: 'BASH_ENV' })).toEqual(failure(125, 'LD_BIND_NOW'));
    const found = await variables(shell, { HOLDFAST_ALLOW_NAME: 'BASH_ENV,LD_BIND_NOW' });
    expect([found.get('BASH_ENV'), found.get('LD_BIND_NOW'), found.get('A')]).toEqual(['/never-shown', '1', 'one']);
    const wrong = await refused({ HOLDFAST_ALLOW_NAME: 'ENV&keys=A' });
    expect(wrong).toEqual(failure(125, 'HOLDFAST_ALLOW_NAME is missing or has'));
  });

  it('reports an environment that is too large for the system', async () => {
    const large = numbered(33, 'x'.repeat(65_000));
    await expectStatus(place.importAll('dev', large), 200);
    expect(endingOf(await run(shell, ['/other/env']))).toEqual(failure(126, 'Argument list too long'));
  });
});

describe.each(shells)('a credential of run.sh in $name', shell => {
  let identityId: string;
  let base: Record<string, string>;
  beforeEach(async () => {
    const made = api.post(`/identities/${owner.organization.id}`, identityOf(issuer), owner.session);
    identityId = (await expectStatus(made, 201)).body.identity.id;
    const { HOLDFAST_TOKEN: _, ...others } = settings();
    base = { ...others, HOLDFAST_IDENTITY: identityId };
    await expectStatus(place.set('dev', 'A', 'from the vault'), 200, 201);
  });
  const runWith = async (more: Record<string, string>) =>
    endingOf(await image.run(shell, '/run.sh', ['/other/env'], { env: { ...base, ...more } }));

  async function expectSecrets(more: Record<string, string>): Promise<void> {
    const ended = await runWith(more);
    expect(ended).toEqual(success(expect.stringMatching(/^A=from the vault$/m)));
    expect(ended.stdout).not.toMatch(/_TOKEN|eyJ|service_tok_|runner-secret/);
  }

  it('takes a token from a file, with or without a line break at its end', async () => {
    const own = token.token;
    for (const text of [own, `${own}\n`, ` ${own}\r\n`, `\ufeff\r\n${own}\r\n\r\n`]) {
      image.file('tmp/token', text);
      await expectSecrets({ HOLDFAST_TOKEN_FILE: image.seenAs('/tmp/token') });
    }
    // The command line takes this around any setting.
    const around = Object.entries(base).map(([name, value]) => [name, `\ufeff ${value}\t\r\n`]);
    await expectSecrets({ ...Object.fromEntries(around), HOLDFAST_TOKEN: ` ${own}\r\n` });
  });

  it('signs in as an identity with the token of a variable, of a file or of GitHub Actions', async () => {
    await expectSecrets({ HOLDFAST_ID_TOKEN: await issuer.token(identityId) });
    image.file('tmp/id-token', `${await issuer.token(identityId)}\n`);
    await expectSecrets({ HOLDFAST_ID_TOKEN_FILE: image.seenAs('/tmp/id-token') });
    await expectSecrets(runner.variables);

    const { entries } = (await api.get(`/audit/${owner.organization.id}?limit=2`, owner.session)).body;
    for (const { actor, userAgent } of entries) {
      expect(actor.id).toBe(identityId);
      expect(userAgent).toMatch(/^holdfast-run\.sh\/\d+\.\d+\.\d+$/);
    }
  });

  it('takes the source that is named, or else the first that is there, and a token before any', async () => {
    const HOLDFAST_ID_TOKEN = await issuer.token(identityId);
    image.file('tmp/spoiled', 'spoiled\n');
    const spoiled = { HOLDFAST_ID_TOKEN_FILE: image.seenAs('/tmp/spoiled') };
    await expectSecrets({ ...runner.variables, ...spoiled, HOLDFAST_ID_TOKEN });
    await expectSecrets({
      ...runner.variables,
      ...spoiled,
      HOLDFAST_ID_TOKEN: 'spoiled',
      HOLDFAST_ID_TOKEN_SOURCE: 'github',
    });
    await expectSecrets({ ...spoiled, HOLDFAST_ID_TOKEN_COMMAND: 'exit 1', HOLDFAST_TOKEN: token.token });
    await expectSecrets({ HOLDFAST_IDENTITY: '', HOLDFAST_TOKEN: token.token });
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
    const ended = await runWith(more as Record<string, string>);
    expect(ended).toEqual(failure(125, sentence));
    expect(ended.stderr).not.toMatch(/x\.y\.z|two words/);
  });

  it('reports why GitHub Actions or the service refuses', async () => {
    const refused = await runWith({ ...runner.variables, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'wrong' });
    const sentence = 'GitHub Actions returned no token (the job needs id-token: write): 401, curl ended with 0';
    expect(refused).toEqual({ ...failure(125, ''), stderr: `run.sh: ${sentence}\n` });
    const other = await runWith({ HOLDFAST_ID_TOKEN: await issuer.token(identityId, { repository_id: '75' }) });
    expect(other).toEqual(failure(125, '"code":"claims_mismatch"'));
    const HOLDFAST_ID_TOKEN = await issuer.token(identityId);
    await expectSecrets({ HOLDFAST_ID_TOKEN });
    expect((await runWith({ HOLDFAST_ID_TOKEN })).stderr).toContain('"code":"assertion_replayed"');
  });
});

it('passes 2,000 nasty values through exactly in every shell, or refuses them by name', async () => {
  let passed = 0;
  // An environment may have 1,000.
  for (const [index, HOLDFAST_ENV] of ['dev', 'staging'].entries()) {
    const values = nastyValues(1000, seed + index);
    const all = new Map(values.map((value, number): [string, string] => [`K${number}`, value]));
    const withNul = [...all.keys()].filter(key => all.get(key)?.includes('\0'));
    await expectStatus(place.importAll(HOLDFAST_ENV, Object.fromEntries(all)), 200);
    for (const shell of shells) {
      const { code, stdout, stderr } = await run(shell, ['/other/env'], { HOLDFAST_ENV });
      expect([code, stdout]).toEqual([125, '']);
      expect([...stderr.matchAll(/"key":"(K\d+)"/g)].map(([, key]) => key).toSorted()).toEqual(withNul.toSorted());
    }
    await expectStatus(api.post(place.at(HOLDFAST_ENV, '/bulk-delete'), { keys: withNul }, owner.session), 200);
    for (const key of withNul) all.delete(key);
    for (const shell of shells) {
      const found = await variables(shell, { HOLDFAST_ENV });
      expect([...all].filter(([key, value]) => found.get(key) !== value)).toEqual([]);
    }
    if (shells.includes(busybox)) {
      const words = [alone.seenAs('/bin/env'), '-0'];
      const { code, stdout } = await alone.run(busybox, '/run.sh', words, { env: settings({ HOLDFAST_ENV }) });
      const found = variablesIn(stdout);
      expect([code, [...all].filter(([key, value]) => found.get(key) !== value)]).toEqual([0, []]);
    }
    passed += all.size;
  }
  process.stderr.write(`run.sh: ${passed} of 2,000 values of seed ${seed} exact, the others refused\n`);
  expect(passed).toBeGreaterThan(1500);
});
