import { chmodSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildDownloads } from '#clients/cli/build-downloads.ts';
import { type Api, createToken, startApi } from '#test/support/api.ts';
import { openWorkplace } from '#test/support/environments.ts';
import { fresh } from '#test/support/fixtures.ts';
import { type Issuer, startIssuer } from '#test/support/issuer.ts';
import { numbered } from '#test/support/numbered.ts';
import { type Person, seedOwner } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { seed } from '#test/support/seed.ts';
import { variablesOf } from '../cli.ts';
import { nastyValues } from '../formats/nasty-values.ts';
import { busybox, type Image, makeBusyboxImage, makeImage, reportSkipped, type Shell, shells } from './image.ts';

let api: Api;
let owner: Person;
let issuer: Issuer;
let token: string;
let image: Image;
/** Without curl. */
let alone: Image;

beforeAll(async () => {
  reportSkipped();
  [api, issuer] = await Promise.all([startApi(), startIssuer()]);
  owner = await seedOwner();
  ({ token } = await createToken(api, owner));
  const programs = [...new Set(shells.map(({ command: [program = ''] }) => program))];
  image = makeImage([...programs, 'curl'], ['env', 'true', 'cat']);
  const script = (await buildDownloads())(api.url).get('/run.sh');
  alone = makeBusyboxImage();
  for (const one of [image, alone]) one.file('run.sh', script ?? '');
});
afterAll(async () => {
  image?.remove();
  alone?.remove();
  await Promise.all([api?.stop(), issuer?.stop()]);
});
const place = fresh(() => openWorkplace(api, owner));

const settings = (more: Record<string, string | undefined> = {}) => ({
  ...variablesOf(api.url.replace('/v1', ''), token, `${owner.organization.slug}/${place.project.slug}/dev`),
  ...more,
});
const run = (shell: Shell, words: readonly string[], more: Record<string, string | undefined> = {}) =>
  image.run(shell, '/run.sh', words, { env: settings(more) });

/** The variables that the command gets. */
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
    const found = await variables(shell, {
      ...given,
      HOLDFAST_TOKEN_OLD: 'x',
      HOLDFAST_ID_TOKEN: 'y\nHOLDFAST_TOKEN_Z=z',
    });

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

  it('is replaced by the command, which keeps the process, standard input, arguments and exit code', async () => {
    await place.set('dev', 'A', 'one');
    const [program = '', ...rest] = shell.command;
    const script = 'read -r line; echo "$$ $line $A $#:$1:$2"; exit 7';
    const words = [`/bin/${program}`, ...rest, '-c', script, 'name', "it's", ''];
    const { code, stdout, pid } = await image.run(shell, '/run.sh', ['--', ...words], {
      env: settings(),
      input: 'typed\n',
    });

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
      const ended = await run(shell, words, more);
      expect({ ...ended, words }).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
    }
  });

  it('refuses the names that run refuses, with the same reasons, unless they are allowed', async () => {
    await place.importAll('dev', { BASH_ENV: '/never-shown', LD_BIND_NOW: '1', A: 'one' });
    const { code, stdout, stderr } = await run(shell, ['/other/env']);
    expect([code, stdout]).toEqual([125, '']);
    expect(stderr).toContain('"key":"BASH_ENV","reason":"makes a shell run code; to pass it anyway: allow=BASH_ENV"');
    expect(stderr).not.toContain('never-shown');
    const one = await run(shell, ['/other/env'], { HOLDFAST_ALLOW_NAME: 'BASH_ENV' });
    expect([one.code, one.stdout, one.stderr.includes('LD_BIND_NOW')]).toEqual([125, '', true]);
    const found = await variables(shell, { HOLDFAST_ALLOW_NAME: 'BASH_ENV,LD_BIND_NOW' });
    expect([found.get('BASH_ENV'), found.get('LD_BIND_NOW'), found.get('A')]).toEqual(['/never-shown', '1', 'one']);
    const wrong = await run(shell, ['/other/env'], { HOLDFAST_ALLOW_NAME: 'ENV&keys=A' });
    expect([wrong.code, wrong.stderr]).toEqual([125, expect.stringContaining('HOLDFAST_ALLOW_NAME is missing or has')]);
  });

  it('reports an environment that is too large for the system', async () => {
    const large = numbered(33, 'x'.repeat(65_000));
    await expectStatus(place.importAll('dev', large), 200);
    const { code, stdout, stderr } = await run(shell, ['/other/env']);
    expect([code, stdout]).toEqual([126, '']);
    expect(stderr).toContain('Argument list too long');
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
