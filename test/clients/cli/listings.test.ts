import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProject, createToken } from '#test/support/api.ts';
import { failure } from './cli.ts';
import { useShop } from './shop.ts';

const { api, cli, ada, project, environment, client, of, holdfast, onTerminal } = useShop();
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`K${String(index).padStart(3, '0')}`, 'v']));

describe('set --generate', () => {
  it('sets a value of that length and alphabet, and prints it only with --show', async () => {
    const quiet = await holdfast(['set', 'A', '--generate', '32']);
    const a = (await of().pull()).require('A');
    expect(a).toMatch(/^[A-Za-z0-9]{32}$/);
    expect([quiet.code, quiet.stdout]).toEqual([0, '']);
    expect(quiet.stderr).not.toContain(a);
    const shown = await holdfast(['set', 'B', '--generate', '4096', '--alphabet', 'aß🙂0123456', '--show']);
    const b = (await of().pull()).require('B');
    expect(shown.stdout).toBe(`${b}\n`);
    const counts = Map.groupBy(b, character => character);
    expect([...counts.keys()].toSorted()).toEqual([...'aß🙂0123456'].toSorted());
    // 4,096 draws from ten: the standard deviation is 19, and 180 is 12 of them away.
    for (const drawn of counts.values()) expect(drawn.length).toBeGreaterThan(180);
    expect(JSON.parse((await holdfast(['set', 'C', '--generate', '8', '--json'])).stdout)).not.toHaveProperty('value');
  });

  it('refuses lengths and alphabets out of bounds, and options that do not go with it, with a sentence', async () => {
    for (const length of ['7', '4097', '1e3', '-9', 'x']) {
      expect(await holdfast(['set', 'A', '--generate', length])).toEqual(failure(2, '8 to 4096 characters'));
    }
    for (const alphabet of ['', 'hex', '012345678', '0123456789a0', '0123456789\u200b', '0123456789\n']) {
      const generated = await holdfast(['set', 'A', '--generate', '8', '--alphabet', alphabet]);
      expect(generated).toEqual(failure(2, 'at least 10 characters'));
    }
    for (const more of [['--show'], ['--alphabet', '0123456789'], ['--generate', '8', '--from-file', 'f']]) {
      expect((await holdfast(['set', 'A', ...more], 'v')).code).toBe(2);
    }
    expect((await of().keys()).revision).toBe(0);
  });
});

describe('find', () => {
  it('lists the places that have exactly this key, without reading a value', async () => {
    const other = await createProject(api, ada, 'other');
    await of().import({ API_KEY: '1', API_KEY_OLD: '1' });
    await of('production').import({ API_KEY: '2' });
    await client.environment(ada.organization.slug, other.slug, 'dev').import({ API_KEY_OLD: '3' });
    const { stdout } = await holdfast(['find', 'API_KEY', '--json']);
    const place = { project: project.slug, version: 1, updatedAt: expect.any(String), updatedBy: ada.email };
    const found = ['dev', 'production'].map(slug => ({ ...place, environment: slug }));
    expect(JSON.parse(stdout)).toEqual({ key: 'API_KEY', found, notReadable: [] });
    const lines = (await holdfast(['find', 'API_KEY_OLD'])).stdout.trim().split('\n');
    const places = lines.map(line => line.split('\t').slice(0, 2).join('/'));
    expect(places.toSorted()).toEqual(['other/dev', `${project.slug}/dev`].toSorted());
    const nowhere = await holdfast(['find', 'API']);
    expect([nowhere.code, nowhere.stdout]).toEqual([5, '']);
    const { entries } = (await api.get(`/audit/${ada.organization.id}?limit=100`, ada.session)).body;
    expect(entries.filter(({ action }: { action: string }) => action === 'secret.pulled')).toEqual([]);
  });

  it('leaves out what the token may not read, and says that it did', async () => {
    await of().import({ API_KEY: '1' });
    await of('production').import({ API_KEY: '2' });
    const place = { organizationId: ada.organization.id, projectId: project.id };
    const limits = { access: 'read', ...place, environmentId: project.environments[0]?.id };
    const limited = { HOLDFAST_TOKEN: (await createToken(api, ada, limits)).token };
    expect((await holdfast(['list', '-e', 'production'], '', limited)).code).toBeGreaterThan(0);
    const { code, stdout } = await holdfast(['find', 'API_KEY', '--json'], '', limited);
    const { found, notReadable } = JSON.parse(stdout);
    expect([code, found.map((one: { environment: string }) => one.environment)]).toEqual([0, ['dev']]);
    expect(JSON.stringify([found, notReadable])).not.toContain('"version":2');
    for (const place of notReadable) expect(place).toMatch(new RegExp(`^${project.slug}/`));
  });
});

it('an unknown option names the nearest one, of the command or of every command, and never repeats its value', async () => {
  for (const [words, nearest] of [
    [['push', '.env', '--mesage', 'x'], '--message'],
    [['push', '.env', '--mesage=geheim'], '--message'],
    [['list', '--projct', 'x'], '--project'],
    [['--quite', 'list'], '--quiet'],
    [['--fromat', 'json'], 'pull --format'],
    [['--fromat=geheim'], 'pull --format'],
    [['tokens', 'create', 'x', '--acces', 'read'], '--access'],
    [['run', '--wach', '--', 'true'], '--watch'],
  ] as const) {
    const { code, stderr } = await holdfast([...words]);
    expect(stderr).toContain(`Did you mean ${nearest}?`);
    expect(code).toBe(words[0] === 'run' ? 125 : 2);
    expect(stderr).not.toContain('geheim');
  }
  expect((await holdfast(['puhs'])).stderr).toContain('Did you mean push?');
});

it('the help ends each group with one example', async () => {
  const { stdout } = await holdfast(['--help']);
  const groups = stdout.split('\n\n').filter(group => group.includes('\n  For example: holdfast '));
  const headings = ['Sign in:', 'Use secrets:', 'Change secrets:', 'See what changed:', 'Check:', 'Organize:'];
  expect(groups.map(group => group.slice(0, group.indexOf('\n')))).toEqual(headings);
  for (const group of groups) expect(group.trimEnd()).toMatch(/\n {2}For example: holdfast [^\n]+$/);
});

it('times on a terminal are ages in columns that line up; in a pipe and with --json they are exact', async () => {
  await of().import({ A: '1' }, { message: '日本語 🙂' });
  await of().import({ B: '2' }, { message: 'plain' });
  const { stdout: text } = await onTerminal(['revisions']);
  const [header = '', second = '', first = ''] = text.split('\n');
  expect(second).toMatch(/^2 +(?:just now|\d+ seconds? ago) +/);
  expect(first.indexOf('+A')).toBe(header.indexOf('KEYS'));
  expect(second.indexOf('+B')).toBe(header.indexOf('KEYS'));
  expect((await onTerminal(['audit'])).stdout).toMatch(/^WHEN +WHO[\s\S]*\n(?:just now|\d+ seconds? ago) +/);
  for (const words of [['revisions'], ['audit']]) {
    expect((await holdfast(words)).stdout).toMatch(/\t?\d{4}-\d\d-\d\dT[\d:.]+Z\t/);
    expect((await holdfast([...words, '--json'])).stdout).toMatch(/"createdAt": "\d{4}-\d\d-\d\dT/);
  }
});

describe('a long listing', () => {
  it('goes through the pager on a terminal, without the token, and keeps the exit code', async () => {
    await of().import(many(60));
    const seen = join(cli.home, 'seen');
    const pager = { PAGER: `cat > ${seen}; env | grep -c ^HOLDFAST_TOKEN= >> ${seen}` };
    const { code, stdout: text } = await onTerminal(['list'], pager);
    expect([code, text]).toEqual([0, '']);
    const paged = readFileSync(seen, 'utf8');
    expect(paged).toMatch(/^KEY +VERSION/);
    expect(paged).toContain('K059');
    expect(paged.trimEnd().endsWith('\n0')).toBe(true);
    const differs = await onTerminal(['diff', 'dev', 'staging', '--exit-code'], { PAGER: 'head -1' });
    expect(differs.code).toBe(7);
    expect(differs.stdout).toContain('K000');
    expect(differs.stdout).not.toContain('K059');
    const byDefault = await cli.converse(['list'], [['K010', 'q']], { env: { ...environment, TERM: 'xterm' } });
    expect(byDefault).toMatchObject({ code: 0, stdout: expect.not.stringContaining('K059') });
  });

  it('is printed if no pager is wanted or there is none, in a pipe, and with --json', async () => {
    await of().import(many(60));
    const absent = { PAGER: 'no-such-pager' };
    for (const PAGER of ['', 'cat', 'no-such-pager']) {
      const { code, stdout: text } = await onTerminal(['list'], { PAGER });
      expect([code, text]).toEqual([0, expect.stringContaining('K059')]);
    }
    const swallow = { PAGER: 'cat > /dev/null' };
    expect((await onTerminal(['list', '--json'], swallow)).stdout).toContain('K059');
    expect((await holdfast(['list'], '', swallow)).stdout).toContain('K059');
    await of('staging').import(many(3));
    expect((await onTerminal(['list', '-e', 'staging'], swallow)).stdout).toContain('K002');
    expect((await onTerminal(['list', '-e', 'staging'], absent)).code).toBe(0);
  });
});

it('a long plan shows the first keys of each kind and a count; --all shows every key', async () => {
  await of().import({ ...many(30), GONE: 'x' });
  const text = Object.keys(many(60))
    .map(key => `${key}=w\n`)
    .join('');
  const file = cli.file('.env', text);
  const { stderr } = await holdfast(['push', file, '--prune', '--yes']);
  expect(stderr.match(/^[+~] /gm)).toHaveLength(20);
  expect(stderr).toContain('and 20 more to create (--all shows all)');
  expect(stderr).toContain('and 20 more to update (--all shows all)');
  expect(stderr).toContain('- GONE\n');
  expect((await holdfast(['promote', 'dev', 'staging'])).stderr).toContain('and 50 more to create');
  expect((await holdfast(['promote', 'staging', 'production', '--all'])).stderr.match(/^\+ /gm)).toHaveLength(60);
  await of('production').delete(Object.keys(many(60)));
  expect((await holdfast(['promote', 'staging', 'production', '--dry-run'])).stdout.match(/^\+ /gm)).toHaveLength(60);
});

it('--yes answers every question about a change; without a terminal nothing is asked', async () => {
  const file = cli.file('.env', 'A=1\n');
  const pushed = await onTerminal(['push', file, '--yes']);
  expect([pushed.code, pushed.stdout]).toEqual([0, expect.not.stringContaining('[y/N]')]);
  expect((await onTerminal(['promote', 'dev', 'staging', '-y'])).code).toBe(0);
  expect((await onTerminal(['edit', '--yes'], { EDITOR: "sed -i 's/1/2/'" })).code).toBe(0);
  expect((await of().pull()).require('A')).toBe('2');
  expect((await onTerminal(['restore', '1', '--yes'])).code).toBe(0);
  expect((await of().pull()).require('A')).toBe('1');
  expect((await holdfast(['promote', 'dev', 'production'])).code).toBe(0);
});
