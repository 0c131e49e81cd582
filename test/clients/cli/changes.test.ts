import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { fresh } from '#test/support/fixtures.ts';
import { passTo } from '../relay.ts';
import { type Respond, startServer } from '../sdk/scripted-server.ts';
import { failure } from './cli.ts';
import { useShop } from './shop.ts';

const { api, cli, ada, project, environment, of, valuesIn: values, holdfast: direct } = useShop();
const dev = () => of();
const intercepts: Respond[] = [];
/** In front of the service. */
const relay = fresh(() => {
  const pass = passTo(api.url);
  return startServer((request, response) => {
    const next = request.method === 'GET' || request.query.has('dryRun') ? undefined : intercepts.shift();
    if (next === undefined) void pass(request, response);
    else next(request, response);
  });
});
beforeEach(() => {
  intercepts.length = 0;
});

const holdfast: typeof direct = (words, input, more) => direct(words, input, { HOLDFAST_URL: relay.url, ...more });

describe('push', () => {
  it('shows the plan without values, then applies it as one revision', async () => {
    await dev().import({ A: 'old-secret', KEEP: 'k' });
    const file = cli.file('.env', '# said\nA=new-secret\nexport B="two\nlines"\n');
    const dry = await holdfast(['push', file, '--dry-run', '--json']);
    expect(JSON.parse(dry.stdout)).toEqual({
      dryRun: true,
      plan: { created: ['B'], updated: ['A'], unchanged: [], deleted: [], skipped: [] },
      revision: 1,
    });
    expect((await dev().pull()).revision).toBe(1);
    const shown = await holdfast(['push', file, '--dry-run']);
    expect(shown.stdout).toBe('+ B = ••••••••\n~ A = ••••••••\n');
    const { code, stdout, stderr } = await holdfast(['push', file, '-m', 'why']);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/~ A[\s\S]*1 to create, 1 to update[\s\S]*revision 2/);
    expect(stderr + shown.stdout).not.toContain('secret');
    expect(await values()).toEqual({ A: 'new-secret', B: 'two\nlines', KEEP: 'k' });
    const again = await holdfast(['push', '-', '--json'], 'A=new-secret\n');
    expect(JSON.parse(again.stdout)).toMatchObject({ created: [], updated: [], unchanged: ['A'], revision: 2 });
  });

  it('refuses lines that tools read differently, unless it is told who reads the file', async () => {
    const file = cli.file('.env', 'A=1\nB=geheim#1\n');
    const refused = await holdfast(['push', file]);
    const readings = 'line 2 B: node \\| python, docker, compose, systemd, sh\n';
    expect(refused).toEqual(failure(1, new RegExp(`${readings}.*--dialect node.*--as-is`, 's')));
    expect(refused.stderr).not.toContain('geheim');
    for (const [command, flags, code, stored] of [
      ['diff', ['--exit-code'], 1, {}],
      ['push', ['--dialect', 'node'], 0, { A: '1', B: 'geheim' }],
      ['diff', ['--exit-code', '--dialect', 'node'], 0, { A: '1', B: 'geheim' }],
      ['diff', ['--exit-code', '--as-is'], 7, { A: '1', B: 'geheim' }],
      ['push', ['--as-is'], 0, { A: '1', B: 'geheim#1' }],
      ['push', ['--as-is', '--dialect', 'sh'], 2, { A: '1', B: 'geheim#1' }],
    ] as const) {
      const { code: exitCode } = await holdfast([command, file, ...flags]);
      expect([command, flags, exitCode, await values()]).toEqual([command, flags, code, stored]);
    }
  });

  it('prunes in the same revision', async () => {
    await dev().import({ A: '1', GONE: '1', GONE_TOO: '1' });
    const { stdout } = await holdfast(['push', '-', '--prune', '--yes', '--json'], 'A=2\nNEW=1\n');
    const changes = { created: ['NEW'], updated: ['A'], unchanged: [], deleted: ['GONE', 'GONE_TOO'] };
    expect(JSON.parse(stdout)).toEqual({ ...changes, revision: 2 });
    expect(await values()).toEqual({ A: '2', NEW: '1' });
  });

  it('reports every problem of the file with its line, quotes none, and changes nothing', async () => {
    const { code, stderr } = await holdfast(['push', '-'], "A=1\nthis is hunter2\nB='open hunter2\nA=2\n");
    expect(code).toBe(1);
    expect(stderr).toMatch(/line 2 [\s\S]*line 3 [\s\S]*line 4 sets A again/);
    expect(stderr).not.toContain('hunter2');
    expect((await dev().pull()).revision).toBe(0);
    expect((await holdfast(['push', '/no/such/file'])).code).toBe(2);
    const windows = await holdfast(['push', '-'], Buffer.from('\ufeffA=hunter2\r\n', 'utf16le'));
    expect(windows).toEqual(failure(1, /not UTF-8\.\n.*UTF-16.*save it as UTF-8/));
  });

  it('stops if another writer was faster, shows what changed, and loses nothing', async () => {
    await dev().import({ A: '1' });
    await dev().set('A', 'theirs', { message: 'they were faster' });
    const { code, stderr } = await holdfast(['push', '-', '--if-revision', '1'], 'A=mine\n');
    expect(code).toBe(6);
    expect(stderr).toMatch(/Revision 2, .*they were faster.*~ A/);
    expect(stderr).not.toMatch(/theirs|mine/);
    expect(await values()).toEqual({ A: 'theirs' });
    const asJson = await holdfast(['push', '-', '--if-revision', '1', '--json'], 'A=mine\n');
    expect(JSON.parse(asJson.stderr).error).toMatchObject({
      code: 'revision_mismatch',
      details: { currentRevision: 2, moved: [{ revision: 2, message: 'they were faster', updated: ['A'] }] },
    });
  });

  it('asks for confirmation on a terminal, and changes nothing without a yes', async () => {
    const file = cli.file('.env', 'A=1\n');
    for (const [answer, code, expected] of [
      ['n', 1, {}],
      ['y', 0, { A: '1' }],
    ] as const) {
      const ended = await cli.converse(['push', file], [['Apply? [y/N]', `${answer}\r`]], { env: environment });
      expect(ended.code).toBe(code);
      expect(await values()).toEqual(expected);
    }
    const unasked = ['push', cli.file('.env', 'A=2\n'), '--no-input'];
    expect((await cli.converse(unasked, [], { env: environment })).code).toBe(0);
    expect(await values()).toEqual({ A: '2' });
  });

  it('applies exactly what was shown or nothing: a concurrent change while the plan is open wins', async () => {
    await dev().import({ A: '1' });
    const file = cli.file('.env', 'A=mine\nB=mine\n');
    const started = cli.start(['push', file], { env: environment, terminal: true });
    await started.until('Apply? [y/N]');
    await dev().set('A', 'theirs', { message: 'in between' });
    started.child.stdin?.write('y\r');
    const { code } = await started.ended;
    expect(code).toBe(6);
    expect(started.seen()).toMatch(
      /Revision 2, .*in between.*~ A[\s\S]*moved from revision 1 to 2; nothing was changed/,
    );
    expect(await values()).toEqual({ A: 'theirs' });
  });

  it('rejects a file that sets nothing, which with --prune would delete everything', async () => {
    await dev().import({ A: '1' });
    expect(await holdfast(['push', '-', '--prune'], '# nothing\n')).toMatchObject({ code: 1 });
    expect(await values()).toEqual({ A: '1' });
  });

  it('reports the maximum size of a revision before contacting the service', async () => {
    const lines = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => `K${from + index}=1\n`).join('');
    const limit = /sets 1001 keys, and one revision takes 1000 changes; nothing was changed\.\nSplit/;
    expect(await holdfast(['push', '-'], lines(0, 1001))).toEqual(failure(1, limit));
    expect((await holdfast(['push', '-', '-q'], lines(0, 1000))).code).toBe(0);
    const pruned = await holdfast(['push', '-', '--prune', '--yes'], lines(500, 600));
    expect(pruned).toMatchObject({ code: 0, stderr: expect.stringContaining('900 to delete, 100 unchanged') });
    const tooMany = await holdfast(['push', '-', '--prune', '--yes', '--json'], lines(1000, 1950));
    expect(JSON.parse(tooMany.stderr).error).toMatchObject({
      code: 'too_many_keys',
      message: expect.stringContaining('sets 950 keys and deletes 100'),
    });
  });

  it('reports an unknown outcome if the service is unreachable, and that the change is all or nothing', async () => {
    await dev().import({ A: '1' });
    intercepts.push((__, response) => {
      response.socket?.resetAndDestroy();
      void relay.stop();
    });
    expect(await holdfast(['push', '-'], 'A=2\n')).toEqual(
      failure(8, /may have been applied, in full or not at all\.\n.*The previous revision was 1/),
    );
  });

  it('reports what is known if the service fails midway', async () => {
    await dev().import({ A: '1' });
    for (let times = 0; times < 4; times += 1) {
      intercepts.push((__, response) => void response.socket?.resetAndDestroy());
    }
    expect(await holdfast(['push', '-'], 'A=2\n')).toEqual(
      failure(8, /Nothing has changed so far: dev is still at revision 1/),
    );
    expect(await values()).toEqual({ A: '1' });
  });
});

it('get, list and history print exactly the value, with a line break only on a terminal', async () => {
  await dev().import({ A: ' a\nb ', B: '2' });
  expect((await holdfast(['get', 'A'])).stdout).toBe(' a\nb ');
  const asJson = await holdfast(['get', 'A', '--json']);
  expect(JSON.parse(asJson.stdout)).toEqual({ key: 'A', value: ' a\nb ', revision: 1 });
  expect((await cli.converse(['get', 'B'], [], { env: environment })).stdout).toBe('2\r\n');
  expect((await holdfast(['get', 'NOPE'])).code).toBe(5);
  await dev().set('B', '3');
  expect((await holdfast(['get', 'B', '--revision', '1'])).stdout).toBe('2');
  expect((await holdfast(['list', '--revision', '1'])).stdout).toMatch(/^A\t.*\nB\t.*\n$/);
});

describe('diff', () => {
  it('compares revisions, environments and files, and shows values only on request', async () => {
    await dev().import({ A: 'a-1', GONE: 'g' });
    await (await dev().plan({ set: { A: 'a-2', NEW: 'n' }, delete: ['GONE'] })).apply();
    await of('staging').import({ A: 'a-2', S: 's' });
    const file = cli.file('.env', 'A=a-3\nNEW=n\n');
    const difference = async (...words: string[]) => (await holdfast(['diff', ...words], 'A=a-2\n')).stdout;
    expect((await holdfast(['diff'])).stderr).toContain('From dev@1 to dev@2: 3 keys differ.');
    for (const [words, expected] of [
      [[], '~ A\n- GONE\n+ NEW\n'],
      [['dev@1'], '~ A\n- GONE\n+ NEW\n'],
      [['dev@1', 'dev@2', '--show-values'], '~ A "a-1" → "a-2"\n- GONE "g"\n+ NEW "n"\n'],
      [['staging'], '- NEW\n+ S\n'],
      [['staging', 'dev'], '+ NEW\n- S\n'],
      [['dev@1', 'staging'], '~ A\n- GONE\n+ S\n'],
      [[file], '~ A\n'],
      [['dev', '-', '--show-values'], '- NEW "n"\n'],
    ] as const) {
      expect([words, await difference(...words)]).toEqual([words, expected]);
    }
    const json = await holdfast(['diff', 'dev@1', file, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ updated: [{ key: 'A' }], created: [{ key: 'NEW' }] });
    expect(json.stdout).not.toContain('a-');
  });

  it('finds no difference in an unchanged environment, even under a slug that was used before', async () => {
    const nothing = { code: 0, stdout: '' };
    expect(await holdfast(['diff'])).toMatchObject(nothing);
    const path = `/projects/${ada.organization.id}/${project.slug}/environments`;
    expect((await api.delete(`${path}/dev`, ada.session)).status).toBe(200);
    const again = () => api.post(path, { name: 'Dev', slug: 'dev' }, ada.session);
    await eventually(async () => expect((await again()).status).toBe(201));
    const { revision } = await dev().keys();
    expect(await holdfast(['diff'])).toMatchObject({
      ...nothing,
      stderr: `From dev@${revision} to dev@${revision}: nothing differs.\n`,
    });
  });

  it('exits with 7 if there are differences and --exit-code is given', async () => {
    await dev().import({ A: '1' });
    const message = 'holdfast: From dev@0 to dev@1: 1 key differs.\n';
    expect(await holdfast(['diff', '--exit-code'])).toMatchObject({ code: 7, stdout: '+ A\n', stderr: message });
    expect((await holdfast(['diff', 'dev@1', '--exit-code'])).code).toBe(0);
    expect((await holdfast(['diff', 'NoSuch'])).code).toBe(2);
    expect((await holdfast(['diff', 'dev@9'])).code).toBe(5);
  });
});

describe('promote and restore', () => {
  it('show the plan and apply it', async () => {
    await dev().import({ A: '1', B: '2' });
    await of('staging').import({ B: 'kept' });
    const dry = await holdfast(['promote', 'dev', 'staging', '--dry-run']);
    expect(dry.stdout).toBe('+ A = ••••••••\n~ B = ••••••••\n');
    expect((await holdfast(['promote', 'dev', 'staging', '--no-overwrite'])).stderr).toMatch(/1 left alone/);
    expect(await values('staging')).toEqual({ A: '1', B: 'kept' });
    const only = await holdfast(['promote', 'dev', 'staging', '--only', 'B', '--json']);
    expect(JSON.parse(only.stdout)).toMatchObject({ promoted: ['B'], revision: 3 });
  });

  it('restores as a new revision', async () => {
    await dev().import({ A: '1', B: '1' });
    await dev().import({ A: '2', C: '1' });
    const dry = await holdfast(['restore', '1', '--dry-run', '--json']);
    expect(JSON.parse(dry.stdout).plan).toMatchObject({ updated: ['A'], deleted: ['C'] });
    const restored = await holdfast(['restore', '1', '--json', '--yes', '-m', 'back']);
    expect(JSON.parse(restored.stdout)).toMatchObject({ restored: 1, revision: 3 });
    expect(await values()).toEqual({ A: '1', B: '1' });
    expect((await holdfast(['restore', '99'])).code).toBe(5);
    const { stdout } = await holdfast(['revisions']);
    expect(stdout.split('\n').map(line => line.split('\t')[0])).toEqual(['3', '2', '1', '']);
    const newest = await holdfast(['revisions', '--limit', '1', '--json']);
    const revisions = [{ revision: 3, message: 'back', restored: 1 }];
    expect(JSON.parse(newest.stdout)).toMatchObject({ revisions, next: 3 });
  });
});

describe('edit', () => {
  /** An editor that runs these lines with the file as `$1`. */
  const editor = (lines: string) => ({ EDITOR: cli.file('editor', `#!/bin/sh\nset -e\n${lines}\n`, 0o755) });

  it('applies what was changed in the editor, and leaves no file behind', async () => {
    await dev().import({ A: "it's\n$HOME\\", B: '2', C: 'c' });
    const change = `sed -i '/^B=/d; s/^C=.*/C=changed/' "$1"; echo 'D="new"' >> "$1"`;
    const noted = `echo "$1" > ${cli.home}/path; stat -c %a "$1" >> ${cli.home}/path`;
    expect(await holdfast(['edit'], '', editor(`${noted}; ${change}`))).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/\+ D[\s\S]*~ C[\s\S]*- B/),
    });
    expect(await values()).toEqual({ A: "it's\n$HOME\\", C: 'changed', D: 'new' });
    const [path = '', mode] = readFileSync(join(cli.home, 'path'), 'utf8').split('\n');
    expect(mode).toBe('600');
    expect(() => readFileSync(path)).toThrow('ENOENT');
    expect((await holdfast(['edit'], '', editor('true'))).stderr).toContain('Nothing was changed');
    expect((await holdfast(['edit'], '', editor('exit 1'))).code).toBe(1);
    expect((await holdfast(['edit'])).code).toBe(2);
  });

  it('shows a value that names other keys as it was set, and keeps what it names', async () => {
    await dev().import({ HOST: 'db', URL: { value: 'http://\u0024{HOST}/', expand: true } });
    const noted = `cp "$1" ${cli.home}/shown`;
    const change = `sed -i '/^URL=/s|}/|}/path|' "$1"; echo 'PLAIN=\${HOST}' >> "$1"`;
    expect((await holdfast(['edit'], '', editor(`${noted}; ${change}`))).code).toBe(0);
    expect(readFileSync(join(cli.home, 'shown'), 'utf8')).toContain('\u0024{HOST}');
    expect(await values()).toEqual({ HOST: 'db', URL: 'http://db/path', PLAIN: '\u0024{HOST}' });
  });

  /** Edits with this command of sed, while `meanwhile` happens between opening the file and saving it. */
  async function editDuring(meanwhile: () => Promise<unknown>, change: string) {
    const wait = `touch ${cli.home}/open; while [ ! -e ${cli.home}/go ]; do sleep 0.05; done`;
    const env = { ...environment, HOLDFAST_URL: relay.url, ...editor(`${wait}; sed -i '${change}' "$1"`) };
    const started = cli.start(['edit'], { env });
    await eventually(() => expect(existsSync(join(cli.home, 'open'))).toBe(true));
    await meanwhile();
    cli.file('go', '');
    return started.ended;
  }

  it('merges concurrent changes by key', async () => {
    await dev().import({ MINE: '1', THEIRS: '1', BOTH: '1' });
    const theirs = () => dev().import({ THEIRS: '2', BOTH: '3', NEW: '1' });
    const { code, stderr } = await editDuring(theirs, 's/^MINE=.*/MINE=2/; s/^BOTH=.*/BOTH=3/');
    expect([code, stderr]).toEqual([0, expect.stringContaining('merged')]);
    expect(await values()).toEqual({ MINE: '2', THEIRS: '2', BOTH: '3', NEW: '1' });
  });

  it('applies nothing if both changed a key, and keeps the edited file', async () => {
    await dev().import({ A: '1', B: '1' });
    const theirs = () => dev().set('A', 'theirs');
    const { code, stderr } = await editDuring(theirs, 's/^A=.*/A=mine/; s/^B=.*/B=mine/');
    expect([code, stderr]).toEqual([6, expect.stringContaining('changed the same keys of dev: A.')]);
    const kept = /kept in a file that only you can read: (\S+)/.exec(stderr)?.[1] ?? '';
    expect(readFileSync(kept, 'utf8')).toContain('B=mine');
    expect(await values()).toEqual({ A: 'theirs', B: '1' });
  });
});
