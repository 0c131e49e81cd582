import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Holdfast } from '#clients/sdk/src/index.ts';
import { createProject, createToken, startApi } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';
import { passTo } from '../relay.ts';
import { type Respond, startServer } from '../sdk/scripted-server.ts';
import { buildCli, variablesOf } from './cli.ts';

interface Ground {
  url: string;
  token: string;
  organization: string;
  project: string;
  /** Responds once instead of the service. */
  intercept(respond: Respond): void;
  /** Deletes the environment `dev` and creates another one under its slug. */
  remakeDev(): Promise<void>;
}

const stops: (() => unknown)[] = [];
const intercepts: Respond[] = [];

/** The running service, behind a relay that can drop a response. */
async function serviceGround(): Promise<Ground> {
  // Each test has its own user, because plans limit the number of projects.
  const ada = await seedPerson({ name: 'Ada' });
  const { slug } = await createProject(api, ada, `p${crypto.randomUUID().slice(0, 8)}`);
  const { token } = await createToken(api, ada);
  const pass = passTo(api.url);
  const relay = await startServer((request, response) => {
    const next = request.method === 'GET' || request.query.has('dryRun') ? undefined : intercepts.shift();
    if (next === undefined) void pass(request, response);
    else next(request, response);
  });
  stops.push(() => relay.stop());
  const intercept = (respond: Respond) => void intercepts.push(respond);
  const remakeDev = async () => {
    const path = `/projects/${ada.organization.id}/${slug}/environments`;
    expect((await api.delete(`${path}/dev`, ada.session)).status).toBe(200);
    await eventually(async () =>
      expect((await api.post(path, { name: 'Dev', slug: 'dev' }, ada.session)).status).toBe(201),
    );
  };
  return { url: relay.url, token, organization: ada.organization.slug, project: slug, intercept, remakeDev };
}

const api = shared(startApi);

let environment: Record<string, string>;
let client: Holdfast;

const cli = fresh(buildCli);
const ground = fresh(serviceGround);
beforeEach(() => {
  intercepts.length = 0;
  client = new Holdfast({ url: ground.url, token: ground.token });
  environment = variablesOf(ground.url, ground.token, `${ground.organization}/${ground.project}/dev`);
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const holdfast = (words: string[], input?: string, more: Record<string, string> = {}) =>
  cli.run(words, { env: { ...environment, ...more }, ...(input === undefined ? {} : { input }) });
const dev = () => client.environment(ground.organization, ground.project, 'dev');
const values = async (slug = 'dev') => {
  const snapshot = await client.environment(ground.organization, ground.project, slug).pull();
  return { ...snapshot.toObject() };
};

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
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('line 2 B: node | python, docker, compose, systemd, sh\n');
    expect(refused.stderr).toMatch(/--dialect node.*--as-is/s);
    expect(refused.stderr).not.toContain('geheim');
    expect(await holdfast(['diff', file, '--exit-code'])).toMatchObject({ code: 1 });
    expect(await values()).toEqual({});
    expect(await holdfast(['push', file, '--dialect', 'node'])).toMatchObject({ code: 0 });
    expect(await values()).toEqual({ A: '1', B: 'geheim' });
    expect(await holdfast(['diff', file, '--exit-code', '--dialect', 'node'])).toMatchObject({ code: 0 });
    expect(await holdfast(['diff', file, '--exit-code', '--as-is'])).toMatchObject({ code: 7 });
    expect(await holdfast(['push', file, '--as-is'])).toMatchObject({ code: 0 });
    expect(await values()).toEqual({ A: '1', B: 'geheim#1' });
    expect((await holdfast(['push', file, '--as-is', '--dialect', 'sh'])).code).toBe(2);
  });

  it('prunes in the same revision', async () => {
    await dev().import({ A: '1', GONE: '1', GONE_TOO: '1' });
    const answer = await holdfast(['push', '-', '--prune', '--yes', '--json'], 'A=2\nNEW=1\n');
    expect(JSON.parse(answer.stdout)).toEqual({
      created: ['NEW'],
      updated: ['A'],
      unchanged: [],
      deleted: ['GONE', 'GONE_TOO'],
      revision: 2,
    });
    expect(await values()).toEqual({ A: '2', NEW: '1' });
  });

  it('reports every problem of the file with its line, quotes none, and changes nothing', async () => {
    const { code, stderr } = await holdfast(['push', '-'], "A=1\nthis is hunter2\nB='open hunter2\nA=2\n");
    expect(code).toBe(1);
    expect(stderr).toMatch(/line 2 [\s\S]*line 3 [\s\S]*line 4 sets A again/);
    expect(stderr).not.toContain('hunter2');
    expect((await dev().pull()).revision).toBe(0);
    expect((await holdfast(['push', '/no/such/file'])).code).toBe(2);
    const windows = await cli.run(['push', '-'], {
      env: environment,
      input: Buffer.from('\ufeffA=hunter2\r\n', 'utf16le'),
    });
    expect([windows.code, windows.stderr]).toEqual([
      1,
      expect.stringMatching(/not UTF-8\.\n.*UTF-16.*save it as UTF-8/),
    ]);
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
    // Exactly one JSON document, which includes the concurrent changes.
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
      const started = cli.start(['push', file], { env: environment, terminal: true });
      await started.until('Apply? [y/N]');
      started.child.stdin?.write(`${answer}\r`);
      expect((await started.ended).code).toBe(code);
      expect(await values()).toEqual(expected);
    }
    const unasked = cli.start(['push', cli.file('.env', 'A=2\n'), '--no-input'], {
      env: environment,
      terminal: true,
    });
    expect((await unasked.ended).code).toBe(0);
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
    expect(await holdfast(['push', '-'], lines(0, 1001))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /sets 1001 keys, and one revision takes 1000 changes; nothing was changed\.\nSplit/,
      ),
    });
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
    ground.intercept((__, response) => {
      response.socket?.resetAndDestroy();
      for (const stop of stops.splice(0)) void stop();
    });
    const { code, stderr } = await holdfast(['push', '-'], 'A=2\n');
    expect(code).toBe(8);
    expect(stderr).toMatch(/may have been applied, in full or not at all\.\n.*The previous revision was 1/);
  });

  it('reports what is known if the service fails midway', async () => {
    await dev().import({ A: '1' });
    for (let times = 0; times < 4; times += 1) {
      ground.intercept((__, response) => void response.socket?.resetAndDestroy());
    }
    const { code, stderr } = await holdfast(['push', '-'], 'A=2\n');
    expect(code).toBe(8);
    expect(stderr).toMatch(/Nothing has changed so far: dev is still at revision 1/);
    expect(await values()).toEqual({ A: '1' });
  });
});

it('get, list and history print exactly the value, with a line break only on a terminal', async () => {
  await dev().import({ A: ' a\nb ', B: '2' });
  expect((await holdfast(['get', 'A'])).stdout).toBe(' a\nb ');
  expect(JSON.parse((await holdfast(['get', 'A', '--json'])).stdout)).toEqual({
    key: 'A',
    value: ' a\nb ',
    revision: 1,
  });
  expect((await cli.start(['get', 'B'], { env: environment, terminal: true }).ended).stdout).toBe('2\r\n');
  expect((await holdfast(['get', 'NOPE'])).code).toBe(5);
  await dev().set('B', '3');
  expect((await holdfast(['get', 'B', '--revision', '1'])).stdout).toBe('2');
  expect((await holdfast(['list', '--revision', '1'])).stdout).toMatch(/^A\t.*\nB\t.*\n$/);
});

describe('diff', () => {
  it('compares revisions, environments and files, and shows values only on request', async () => {
    await dev().import({ A: 'a-1', GONE: 'g' });
    const plan = await dev().plan({ set: { A: 'a-2', NEW: 'n' }, delete: ['GONE'] });
    await plan.apply();
    await client.environment(ground.organization, ground.project, 'staging').import({ A: 'a-2', S: 's' });
    const last = await holdfast(['diff']);
    expect(last.stdout).toBe('~ A\n- GONE\n+ NEW\n');
    expect(last.stderr).toContain('From dev@1 to dev@2: 3 keys differ.');
    expect((await holdfast(['diff', 'dev@1'])).stdout).toBe(last.stdout);
    expect((await holdfast(['diff', 'dev@1', 'dev@2', '--show-values'])).stdout).toBe(
      '~ A "a-1" → "a-2"\n- GONE "g"\n+ NEW "n"\n',
    );
    expect((await holdfast(['diff', 'staging'])).stdout).toBe('- NEW\n+ S\n');
    expect((await holdfast(['diff', 'staging', 'dev'])).stdout).toBe('+ NEW\n- S\n');
    expect((await holdfast(['diff', 'dev@1', 'staging'])).stdout).toBe('~ A\n- GONE\n+ S\n');
    const file = cli.file('.env', 'A=a-3\nNEW=n\n');
    expect((await holdfast(['diff', file])).stdout).toBe('~ A\n');
    expect((await holdfast(['diff', 'dev', '-', '--show-values'], 'A=a-2\n')).stdout).toBe('- NEW "n"\n');
    const json = await holdfast(['diff', 'dev@1', file, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ updated: [{ key: 'A' }], created: [{ key: 'NEW' }] });
    expect(json.stdout).not.toContain('a-');
  });

  it('finds no difference in an unchanged environment, even under a slug that was used before', async () => {
    const nothing = { code: 0, stdout: '' };
    expect(await holdfast(['diff'])).toMatchObject(nothing);
    await ground.remakeDev();
    const { revision } = await dev().keys();
    expect(await holdfast(['diff'])).toMatchObject({
      ...nothing,
      stderr: `From dev@${revision} to dev@${revision}: nothing differs.\n`,
    });
  });

  it('exits with 7 if there are differences and --exit-code is given', async () => {
    await dev().import({ A: '1' });
    expect(await holdfast(['diff', '--exit-code'])).toMatchObject({
      code: 7,
      stdout: '+ A\n',
      stderr: 'holdfast: From dev@0 to dev@1: 1 key differs.\n',
    });
    expect((await holdfast(['diff', 'dev@1', '--exit-code'])).code).toBe(0);
    expect((await holdfast(['diff', 'NoSuch'])).code).toBe(2);
    expect((await holdfast(['diff', 'dev@9'])).code).toBe(5);
  });
});

describe('promote and restore', () => {
  it('show the plan and apply it', async () => {
    await dev().import({ A: '1', B: '2' });
    await client.environment(ground.organization, ground.project, 'staging').import({ B: 'kept' });
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
    expect(JSON.parse((await holdfast(['revisions', '--limit', '1', '--json'])).stdout)).toMatchObject({
      revisions: [{ revision: 3, message: 'back', restored: 1 }],
      next: 3,
    });
  });
});

describe('edit', () => {
  /** An editor that runs these lines with the file as `$1`. */
  const editor = (lines: string) => ({ EDITOR: cli.file('editor', `#!/bin/sh\nset -e\n${lines}\n`, 0o755) });

  it('applies what was changed in the editor, and leaves no file behind', async () => {
    await dev().import({ A: "it's\n$HOME\\", B: '2', C: 'c' });
    const { code, stderr } = await holdfast(
      ['edit'],
      '',
      editor(
        `echo "$1" > ${cli.home}/path; stat -c %a "$1" >> ${cli.home}/path; sed -i '/^B=/d; s/^C=.*/C=changed/' "$1"; echo 'D="new"' >> "$1"`,
      ),
    );
    expect(stderr).toMatch(/\+ D[\s\S]*~ C[\s\S]*- B/);
    expect(code).toBe(0);
    expect(await values()).toEqual({ A: "it's\n$HOME\\", C: 'changed', D: 'new' });
    const [path = '', mode] = readFileSync(join(cli.home, 'path'), 'utf8').split('\n');
    expect(mode).toBe('600');
    expect(() => readFileSync(path)).toThrow('ENOENT');
    expect((await holdfast(['edit'], '', editor('true'))).stderr).toContain('Nothing was changed');
    expect((await holdfast(['edit'], '', editor('exit 1'))).code).toBe(1);
    expect((await holdfast(['edit'])).code).toBe(2);
  });

  it('merges concurrent changes by key', async () => {
    await dev().import({ MINE: '1', THEIRS: '1', BOTH: '1' });
    const waiting = editor(
      `touch ${cli.home}/open; while [ ! -e ${cli.home}/go ]; do sleep 0.05; done; sed -i 's/^MINE=.*/MINE=2/; s/^BOTH=.*/BOTH=3/' "$1"`,
    );
    const started = cli.start(['edit'], { env: { ...environment, ...waiting } });
    await opened();
    await dev().import({ THEIRS: '2', BOTH: '3', NEW: '1' });
    cli.file('go', '');
    const { code, stderr } = await started.ended;
    expect(code).toBe(0);
    expect(stderr).toContain('merged');
    expect(await values()).toEqual({ MINE: '2', THEIRS: '2', BOTH: '3', NEW: '1' });
  });

  it('applies nothing if both changed a key, and keeps the edited file', async () => {
    await dev().import({ A: '1', B: '1' });
    const waiting = editor(
      `touch ${cli.home}/open; while [ ! -e ${cli.home}/go ]; do sleep 0.05; done; sed -i 's/^A=.*/A=mine/; s/^B=.*/B=mine/' "$1"`,
    );
    const started = cli.start(['edit'], { env: { ...environment, ...waiting } });
    await opened();
    await dev().set('A', 'theirs');
    cli.file('go', '');
    const { code, stderr } = await started.ended;
    expect(code).toBe(6);
    expect(stderr).toMatch(/changed the same keys of dev: A\./);
    const kept = /kept in a file that only you can read: (\S+)/.exec(stderr)?.[1] ?? '';
    expect(readFileSync(kept, 'utf8')).toContain('B=mine');
    expect(await values()).toEqual({ A: 'theirs', B: '1' });
  });

  async function opened(): Promise<void> {
    const { existsSync } = await import('node:fs');
    while (!existsSync(join(cli.home, 'open'))) await new Promise(resolve => setTimeout(resolve, 50));
  }
});
