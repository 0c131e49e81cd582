import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createToken } from '#test/support/api.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { failure, variablesOf } from './cli.ts';
import { useWorkplace } from './workplace.ts';

/* What no script could do, and rotations that somebody else has changed, ended or left. */

const { api, cli, owner, place, variables, value, holdfast } = useWorkplace();

const rotate = (...words: string[]) => holdfast('rotate', ...words);
const openRotations = async () =>
  (await api.get(place.at('dev', '/proposals?state=open'), owner.session)).body.proposals;
const variablesSeen = () => readFileSync(join(cli.home, 'seen'), 'utf8').trim().split('\n').toSorted();
const see = 'env | grep -E "^HOLDFAST_(OLD|NEW)_" >seen';

describe('a rotation that no script could make', () => {
  test('is refused for a key that is not the name of a variable, before anything is stored', async () => {
    await place.importAll('dev', { 'db.password': 'old', A: '1' });
    expect(await rotate('A', 'db.password', '--run', 'true')).toEqual(
      failure(
        2,
        'No script can get the value of db.password, which is not a variable name: use letters, digits and _.',
      ),
    );
    expect(await openRotations()).toEqual([]);
  });

  test.each(['--run', '--check', '--after'])('is refused with an empty %s, which would succeed', async option => {
    await place.set('dev', 'A', '1');
    for (const script of ['', ' \n']) {
      const scripts = option === '--run' ? [] : ['--run', 'true'];
      expect(await rotate('A', ...scripts, option, script)).toEqual(failure(2, 'A script is empty'));
    }
    expect([await place.values('dev'), await openRotations()]).toEqual([{ A: '1' }, []]);
  });

  test('ends before it has changed anything if the old value has a NUL character, which is not printed', async () => {
    await place.set('dev', 'A', `${value}\0`);
    const refused = await rotate('A', '--run', 'echo ran >seen');
    expect(refused).toEqual(
      failure(
        1,
        'Not every value can be a variable of a script. Nothing was changed now.\n' +
          '  HOLDFAST_OLD_A contains a NUL character, which no environment variable can.\n' +
          'End the rotation: holdfast rotate --abandon A',
      ),
    );
    expect(await openRotations()).toEqual([expect.not.objectContaining({ progress: expect.anything() })]);
    expect((await rotate('--abandon')).code).toBe(0);
  });

  test('says so if the values are more than the system passes to a script', async () => {
    const keys = Array.from({ length: 60 }, (_, index) => `K${index}`);
    const all = (letter: string) => Object.fromEntries(keys.map(key => [key, letter.repeat(30_000)]));
    await place.importAll('dev', all('x'));
    const words = ['rotate', ...keys, '--stdin', '--run', 'true'];
    const input = JSON.stringify(all('y'));
    // The limit is a quarter of that of the stack.
    const { code, stderr } = await cli.run(words, {
      env: variables,
      input,
      under: ['bash', '-c', 'ulimit -s 8192; exec "$@"', 'bash', process.execPath],
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('--run can’t be started (E2BIG).\nOutside, the old')]);
    expect(stderr).not.toContain('yyy');
  });
});

describe('a rotation that was changed elsewhere', () => {
  test('gives its scripts all values after a rebase, also those that are set already', async () => {
    await place.importAll('dev', { A: '1', B: '1' });
    const words = ['rotate', 'A', 'B', '--stdin', '--run', 'false'];
    expect((await cli.run(words, { env: variables, input: 'A=2\nB=2\n' })).code).toBe(1);
    await place.importAll('dev', { A: '2', B: '2' });
    const [{ id }] = await openRotations();
    expect((await holdfast('proposals', 'rebase', id)).code).toBe(0);
    expect((await rotate('--resume', '--run', see)).code).toBe(0);
    expect(variablesSeen()).toEqual(['HOLDFAST_NEW_A=2', 'HOLDFAST_NEW_B=2', 'HOLDFAST_OLD_A=2', 'HOLDFAST_OLD_B=2']);
  });

  test('reads only its own values for --after: another one may have been destroyed', async () => {
    await place.importAll('dev', { A: '1', OTHER: '1' });
    expect((await rotate('A', '--run', 'true', '--after', 'false')).code).toBe(1);
    await place.set('dev', 'OTHER', '2');
    await expectStatus(place.destroy('dev', 'OTHER', { versions: [1] }), 200);
    expect((await rotate('--resume', '--after', see)).code).toBe(0);
    const { A } = await place.values('dev');
    expect(variablesSeen()).toEqual([`HOLDFAST_NEW_A=${A}`, 'HOLDFAST_OLD_A=1']);
  });

  test('is finished by both of two that go on with it at once', async () => {
    await place.set('dev', 'A', '1');
    expect((await rotate('A', '--run', 'true', '--check', 'false')).code).toBe(7);
    const first = cli.start(['rotate', '--resume', '--check', 'echo waiting; read line'], {
      env: variables,
      terminal: true,
    });
    await first.until('waiting');
    expect((await rotate('--resume', '--check', 'true')).code).toBe(0);
    first.child.stdin?.write('\r');
    const { code, stdout } = await first.ended;
    expect([code, stdout]).toEqual([0, expect.stringContaining('A rotated; dev is at revision 2.')]);
  });

  test('says that its value is nowhere else if it was abandoned while --run ran', async () => {
    await place.set('dev', 'A', '1');
    const first = cli.start(['rotate', 'A', '--run', 'echo waiting; read line'], { env: variables, terminal: true });
    await first.until('waiting');
    expect((await rotate('--abandon', '--yes')).code).toBe(0);
    first.child.stdin?.write('\r');
    const { code, stdout } = await first.ended;
    expect(code).toBe(6);
    expect(stdout.replaceAll('\r', '')).toMatch(
      /it was withdrawn\.\nIf --run has changed the value outside, nothing else has the new one\..*\nSee what became of it: holdfast proposals show [0-9a-f-]{36}\n$/,
    );
  });

  test('is not applied without its scripts by “proposals apply”', async () => {
    await place.set('dev', 'A', '1');
    expect((await rotate('A', '--run', 'false')).code).toBe(1);
    const [{ id }] = await openRotations();
    expect(await holdfast('proposals', 'apply', id)).toEqual(
      failure(2, 'holdfast rotate --resume A, with the scripts'),
    );
    expect(await place.values('dev')).toEqual({ A: '1' });
  });
});

test('a rotation of somebody else names them, and how to end it once they have left', async () => {
  await place.set('dev', 'A', '1');
  const author = await place.member('developer');
  const { token } = await createToken(api, author);
  const env = variablesOf(api.url, token, `${owner.organization.slug}/${place.project.slug}/dev`);
  expect((await cli.run(['rotate', 'A', '--run', 'false'], { env })).code).toBe(1);
  const [{ id }] = await openRotations();
  const told = `${author.email} began the rotation, and has to go on with it or end it. If they can’t: holdfast proposals reject ${id}\n`;
  expect(await rotate('--resume', '--run', 'true')).toEqual(failure(4, told));
  expect(await rotate('--abandon', '--yes')).toEqual(failure(4, told));
});
