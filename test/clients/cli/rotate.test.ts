import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createToken } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { failure, variablesOf } from './cli.ts';
import { useWorkplace } from './workplace.ts';

/* The outside world is a file, which scripts change. */

const { api, cli, owner, place, variables, holdfast } = useWorkplace();

const key = 'SESSION_KEY';
const old = 'old-value';
const outside = () => readFileSync(join(cli.home, 'outside'), 'utf8');
const change = `printf %s "$HOLDFAST_NEW_${key}" >outside; echo "$HOLDFAST_OLD_${key}" >>changes`;
const check = `test "$(cat outside)" = "$HOLDFAST_NEW_${key}"`;
const changes = () => readFileSync(join(cli.home, 'changes'), 'utf8');
const rotate = (...words: string[]) => holdfast('rotate', ...words);
const valueNow = async (name = key) => (await place.values('dev'))[name];
const proposalsIn = async (state: string) =>
  (await api.get(place.at('dev', `/proposals?state=${state}`), owner.session)).body.proposals;
const openRotation = async () => {
  const [only, ...others] = await proposalsIn('open');
  expect(others).toEqual([]);
  return only;
};
const begin = async () => {
  cli.file('outside', old);
  await place.set('dev', key, old);
};
const goOn = (name = key) => `Go on: holdfast rotate --resume ${name}, with the scripts\n`;
const proposed = `The new value of ${key} is stored as the proposal [0-9a-f-]{36}\\.\n`;
const kept = 'Outside, the new value is in use. The rotation keeps it until dev has it.\n';

describe('a rotation', () => {
  test('changes the value outside, checks it, sets it, and does what is left', async () => {
    await begin();
    const after = `echo "$HOLDFAST_OLD_${key} $HOLDFAST_NEW_${key}" >left; cat`;
    const started = cli.start(['rotate', key, '--run', change, '--check', check, '--after', after, '-m', 'leaked'], {
      env: variables,
      input: 'typed for a script\n',
    });
    const { code, stdout, stderr } = await started.ended;
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(
      new RegExp(
        `^${proposed}Running --run …\nRunning --check …\ndev has the new value of ${key}\\.\nRunning --after …\n` +
          `typed for a script\n${key} rotated; dev is at revision 2\\.\n$`,
      ),
    );
    const value = await valueNow();
    expect(value).toMatch(/^[A-Za-z0-9]{32}$/);
    expect(outside()).toBe(value);
    expect(readFileSync(join(cli.home, 'left'), 'utf8')).toBe(`${old} ${value}\n`);
    const [applied] = await proposalsIn('applied');
    expect(applied).toMatchObject({ purpose: 'rotation', progress: 'finished', revision: 2, message: 'leaked' });
    expect(stdout + stderr).not.toContain(value);
  });

  test('gives its scripts the values, and nothing that signs in', async () => {
    await begin();
    const env = { ...variables, HOLDFAST_OLD_OTHER: 'of another rotation', HOLDFAST_ID_TOKEN: 'secret', OWN: 'mine' };
    const { code } = await cli.run(['rotate', key, '--run', 'env >variables'], { env });
    expect(code).toBe(0);
    const lines = readFileSync(join(cli.home, 'variables'), 'utf8').split('\n');
    const named = lines
      .map(line => line.split('=')[0])
      .filter(name => /^(?:HOLDFAST_(?!KEYRING)|OWN)/.test(name ?? ''));
    const place = ['HOLDFAST_ENV', 'HOLDFAST_ORG', 'HOLDFAST_PROJECT', 'HOLDFAST_URL'];
    expect(named.toSorted()).toEqual([...place, `HOLDFAST_NEW_${key}`, `HOLDFAST_OLD_${key}`, 'OWN'].toSorted());
    expect(lines).toContain(`HOLDFAST_OLD_${key}=${old}`);
    expect(lines).toContain(`HOLDFAST_NEW_${key}=${await valueNow()}`);
  });

  test('takes one new value as it is, several by their keys, or an alphabet', async () => {
    await begin();
    await place.set('dev', 'USER', 'a');
    const from = (input: string, ...words: string[]) =>
      cli.run(['rotate', ...words, '--stdin', '--run', 'cat >input'], { env: variables, input });
    expect((await from('new "value"\n', key)).code).toBe(0);
    expect(await valueNow()).toBe('new "value"');
    expect(readFileSync(join(cli.home, 'input'), 'utf8')).toBe('');
    expect((await from(`USER=b\n${key}='third value'\n`, key, 'USER')).code).toBe(0);
    expect(await place.values('dev')).toEqual({ [key]: 'third value', USER: 'b' });
    expect((await from(`{"USER": "c", "${key}": "fourth"}`, key, 'USER')).code).toBe(0);
    expect(await from('USER=d\nOTHER=1\n', key, 'USER')).toEqual(
      failure(2, `Standard input has no value for ${key}. It has values that are not to be rotated: OTHER.`),
    );
    expect(await from('', key)).toEqual(failure(2, `There is no value for ${key}`));
    expect(await from('a\0b', key)).toEqual(failure(1, `The value of ${key} contains a NUL character`));
    expect((await rotate(key, '--generate', '12', '--alphabet', '0123456789', '--run', 'true')).code).toBe(0);
    expect(await valueNow()).toMatch(/^\d{12}$/);
    expect(await proposalsIn('open')).toEqual([]);
  });

  test('prints one document with --json', async () => {
    await begin();
    const { code, stdout, stderr } = await rotate(key, '--run', 'echo from the script', '--json');
    expect([code, stderr]).toEqual([0, 'from the script\n']);
    expect(JSON.parse(stdout).proposal).toMatchObject({ state: 'applied', updated: [key], revision: 2 });
  });

  test('is refused before anything is stored if it can’t be what was meant', async () => {
    await begin();
    const refused = async (words: string[], ...expected: [number, string]) =>
      expect(await rotate(...words)).toEqual(failure(...expected));
    await refused(['--run', 'true'], 2, 'Which key?');
    await refused([key], 2, '--run is missing');
    await refused([`${key}=secret`, '--run', 'true'], 2, 'A value is never an argument');
    await refused(['SESION_KEY', '--run', 'true'], 5, 'Not set: SESION_KEY.');
    await refused([key, '--resume', '--generate', '32'], 2, "'--resume' cannot be used with option '--generate");
    await refused([key, '--abandon', '--run', 'true'], 2, "'--abandon' cannot be used with option '--run");
    await refused(['--resume'], 5, 'No rotation is open.');
    await refused([key, '--abandon'], 5, `No rotation of ${key} is open.`);
    const same = await cli.run(['rotate', key, '--stdin', '--run', 'true'], { env: variables, input: old });
    expect(same).toEqual(failure(6, `${key} already has the value that was given. Nothing was changed.`));
    await place.set('dev', 'URL', `app:\u0024{${key}}@db`, { body: { expand: true } });
    await refused(['URL', '--run', 'true'], 6, 'The value of URL names other keys, and changes with theirs.');
    expect(await proposalsIn('open')).toEqual([]);
  });
});

describe('a script that fails', () => {
  test('leaves a rotation that another start goes on with, from --run', async () => {
    await begin();
    const failed = await rotate(key, '--run', `${change}; exit 3`, '--check', check);
    expect(failed).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(
          `^${proposed}Running --run …\nholdfast: --run ended with 3\\.\n` +
            `Outside, the old value is in use, or already the new one\\. Holdfast has both\\.\n${goOn()}$`,
        ),
      ),
    });
    expect(await valueNow()).toBe(old);
    expect(await openRotation()).toMatchObject({ progress: 'started' });
    const second = await rotate(key, '--run', change);
    expect(second).toEqual(
      failure(6, `Go on with it: holdfast rotate --resume KEY · or end it: holdfast rotate --abandon KEY\n`),
    );
    expect(second.stderr).toContain(`${key} is being rotated already.`);
    expect(await rotate('--resume')).toEqual(failure(2, '--run is missing'));

    const made = outside();
    const resumed = await rotate('--resume', '--run', change, '--check', check);
    expect([resumed.code, resumed.stderr]).toEqual([
      0,
      `Running --run …\nRunning --check …\ndev has the new value of ${key}.\n${key} rotated; dev is at revision 2.\n`,
    ]);
    expect([outside(), await valueNow(), changes()]).toEqual([made, made, `${old}\n${old}\n`]);
  });

  test('is not run again if it was --check', async () => {
    await begin();
    const failed = await rotate(key, '--run', change, '--check', 'false');
    expect(failed).toEqual(failure(7, `holdfast: --check ended with 1.\n${kept}${goOn()}`));
    expect([await valueNow(), (await openRotation()).progress]).toEqual([old, 'changed']);
    expect(await rotate('--resume', key, '--check', 'exit 2')).toEqual(failure(7, '--check ended with 2'));
    expect((await rotate('--resume', key, '--check', check)).code).toBe(0);
    expect([await valueNow(), changes()]).toEqual([outside(), `${old}\n`]);
  });

  test('runs again alone, with both values, if it was --after', async () => {
    await begin();
    const failed = await rotate(key, '--run', change, '--after', 'exit 4');
    expect(failed).toEqual(
      failure(1, `--after ended with 4.\nOutside and in dev, the new value is in use.\n${goOn()}`),
    );
    expect(await valueNow()).toBe(outside());
    await place.set('dev', 'OTHER', '1');
    const after = `echo "$HOLDFAST_OLD_${key} $HOLDFAST_NEW_${key}" >left`;
    const resumed = await rotate('--resume', key, '--run', change, '--after', after);
    expect([resumed.code, changes()]).toEqual([0, `${old}\n`]);
    expect(readFileSync(join(cli.home, 'left'), 'utf8')).toBe(`${old} ${outside()}\n`);
    expect(await rotate('--resume', key, '--after', after)).toEqual(failure(5, `No rotation of ${key} is open.`));
  });

  test('is not looked for once its key was rotated again', async () => {
    await begin();
    expect((await rotate(key, '--run', change, '--after', 'false')).code).toBe(1);
    expect((await rotate(key, '--run', change)).code).toBe(0);
    expect(await rotate('--resume', '--after', 'true')).toEqual(failure(5, 'No rotation is open.'));
  });

  test('that is killed, or can’t be found, says so', async () => {
    await begin();
    expect(await rotate(key, '--run', 'kill -9 $$')).toEqual(failure(1, '--run was ended by SIGKILL.\nOutside, the'));
    expect(await rotate('--resume', '--run', './missing.sh')).toEqual(failure(1, '--run ended with 127.'));
  });

  test('gets the signals that were meant to end it, and the rest is said', async () => {
    await begin();
    const script = "trap 'echo ended >interrupted; exit 5' TERM; echo waiting; while :; do sleep 0.05; done";
    const started = cli.start(['rotate', key, '--run', script], { env: variables });
    await started.until('waiting');
    process.kill(started.child.pid as number, 'SIGTERM');
    expect(await started.ended).toEqual(failure(1, `--run ended with 5.\nOutside, the old value is in use, or`));
    await eventually(() => expect(existsSync(join(cli.home, 'interrupted'))).toBe(true));
  });
});

describe('without --check', () => {
  const interrupted = async () => {
    await begin();
    expect((await rotate(key, '--run', change, '--check', 'false')).code).toBe(7);
  };

  test('a script needs --yes to go on after --run', async () => {
    await interrupted();
    expect(await rotate('--resume')).toEqual(failure(2, 'somebody has to say that the new value works'));
    expect((await rotate('--resume', '--yes')).code).toBe(0);
    expect(await valueNow()).toBe(outside());
  });

  test('a person is asked', async () => {
    await interrupted();
    const question = `Does the new value of ${key} work outside? [y/N]`;
    const declined = await cli.converse(['rotate', '--resume'], [[question, 'n\r']], { env: variables });
    expect([declined.code, await valueNow()]).toEqual([1, old]);
    expect((await cli.converse(['rotate', '--resume'], [[question, 'y\r']], { env: variables })).code).toBe(0);
    expect(await valueNow()).toBe(outside());
  });
});

describe('a key that got another value meanwhile', () => {
  test('is rebased, so that the value that is in use is not lost', async () => {
    await begin();
    const failed = await rotate(key, '--run', change, '--check', 'false');
    expect(failed.code).toBe(7);
    await place.set('dev', key, 'theirs');
    const { id } = await openRotation();
    const told = await rotate('--resume', key, '--check', check);
    expect(told).toEqual(
      failure(
        6,
        `${key} of dev got another value since the rotation began.\n${kept}` +
          `To keep the value of the rotation, first: holdfast proposals rebase ${id}\n${goOn()}`,
      ),
    );
    expect((await holdfast('proposals', 'rebase', id)).code).toBe(0);
    expect((await rotate('--resume', key, '--check', check)).code).toBe(0);
    expect(await valueNow()).toBe(outside());
  });
});

describe('--abandon', () => {
  test('ends a rotation that changed nothing outside, unasked', async () => {
    await begin();
    const rotation = { set: [{ key, value: 'new' }], purpose: 'rotation' };
    await expectStatus(api.post(place.at('dev', '/proposals'), rotation, owner.session), 201);
    const { code, stderr } = await rotate('--abandon');
    expect([code, stderr]).toEqual([0, `The rotation of ${key} is abandoned; dev is unchanged.\n`]);
    expect(await proposalsIn('open')).toEqual([]);
  });

  test('asks, or takes --yes, where the new value may be in use', async () => {
    await begin();
    expect((await rotate(key, '--run', 'false')).code).toBe(1);
    const { id } = await openRotation();
    expect(await rotate('--abandon', key)).toEqual(
      failure(
        2,
        `The new value of ${key} may already be in use outside, and nothing else has it. Make sure that no --run is ` +
          `running. It was kept.\nSee it: holdfast proposals show ${id} --values · forget it: --yes\n`,
      ),
    );
    const options = { env: variables };
    const shown = await holdfast('proposals', 'show', id);
    expect(shown.stdout).toContain('\npurpose\trotation\nprogress\tstarted\n~ SESSION_KEY\n');
    expect(shown.stderr).toMatch(/^Go on with it: holdfast rotate --resume SESSION_KEY -e \S+, with the scripts\n$/);
    expect(await holdfast('proposals', 'withdraw', id)).toEqual(failure(2, `holdfast rotate --abandon ${key}\n`));
    const declined = await cli.converse(['rotate', '--abandon'], [['Forget it? [y/N]', 'n\r']], options);
    expect([declined.code, (await openRotation()).id]).toEqual([1, id]);
    expect((await cli.converse(['rotate', '--abandon'], [['Forget it? [y/N]', 'y\r']], options)).code).toBe(0);
    expect((await rotate(key, '--run', change, '--check', 'false')).code).toBe(7);
    expect(await rotate('--abandon')).toEqual(failure(2, `The new value of ${key} is in use outside`));
    expect((await rotate('--abandon', '--yes')).code).toBe(0);
    expect(await valueNow()).toBe(old);
  });
});

describe('several rotations', () => {
  test('are told apart by a key', async () => {
    await place.importAll('dev', { A: '1', B: '1', C: '1' });
    expect((await rotate('A', 'B', '--run', 'false')).code).toBe(1);
    expect((await rotate('C', '--run', 'false')).code).toBe(1);
    expect(await rotate('--resume', '--run', 'true')).toEqual(failure(2, 'Several rotations are open: C · A B.'));
    expect(await rotate('--resume', 'A', 'C', '--run', 'true')).toEqual(failure(5, 'No rotation of A and C is open.'));
    expect((await rotate('--resume', 'B', '--run', 'true')).code).toBe(0);
    expect((await rotate('--resume', '--run', 'true')).code).toBe(0);
    expect(await proposalsIn('open')).toEqual([]);
  });
});

describe('where changes need approval', () => {
  test('a rotation stops before it changes anything, and goes on once it is approved', async () => {
    await begin();
    const [author, approver] = [await place.member('developer'), await place.member('admin')];
    await expectStatus(api.patch(`${place.projectPath}/environments/dev`, { approvals: 1 }, owner.session), 200);
    const { token } = await createToken(api, author);
    const env = variablesOf(api.url, token, `${owner.organization.slug}/${place.project.slug}/dev`);
    const waiting = await cli.run(['rotate', key, '--run', change], { env });
    const placeName = `${owner.organization.slug}/${place.project.slug}/dev`;
    expect([waiting.code, waiting.stdout]).toEqual([0, '']);
    expect(waiting.stderr).toContain(
      `The rotation of ${key} is waiting for 1 approval; nothing has changed.\nOthers decide about it in the dashboard: `,
    );
    expect(waiting.stderr).toContain(`Then: holdfast rotate --resume ${key} -e ${placeName}, with the scripts\n`);
    const resume = () => cli.run(['rotate', '--resume', '--run', change], { env });
    expect(await resume()).toEqual(
      failure(6, `The rotation of ${key} is waiting for 1 approval; nothing has changed.`),
    );
    expect([outside(), await valueNow()]).toEqual([old, old]);

    const { id, digest } = await openRotation();
    await expectStatus(api.post(place.at('dev', `/proposals/${id}/approve`), { digest }, approver.session), 200);
    expect((await resume()).code).toBe(0);
    expect(await valueNow()).toBe(outside());
    expect(outside()).not.toBe(old);
  });
});
