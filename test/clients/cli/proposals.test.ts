import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createToken } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { failure, variablesOf } from './cli.ts';
import { useWorkplace } from './workplace.ts';

const { api, cli, owner, place, value, variables, holdfast } = useWorkplace();

/** The directory is linked to another environment. */
const inProduction = ['-e', 'production'];
const propose = async (...words: string[]): Promise<string> => {
  const { code, stdout, stderr } = await holdfast(...words, ...inProduction, '--propose');
  expect([code, stdout], stderr).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}\n$/)]);
  return stdout.trim();
};
const proposals = (...words: string[]) => holdfast('proposals', ...words, ...inProduction);
const proposalOf = async (id: string) =>
  (await api.get(place.at('production', `/proposals/${id}`), owner.session)).body.proposal;
const requireApprovals = (approvals: number) =>
  expectStatus(api.patch(`${place.projectPath}/environments/production`, { approvals }, owner.session), 200);
const approve = async (id: string) => {
  const { digest } = await proposalOf(id);
  const admin = await place.member('admin');
  return expectStatus(api.post(place.at('production', `/proposals/${id}/approve`), { digest }, admin.session), 200);
};
const placeName = () => `${owner.organization.slug}/${place.project.slug}/production`;
const pageOf = (id: string) => {
  const { organization } = owner;
  const path = `organizations/${organization.slug}/projects/${place.project.slug}/environments/production`;
  return `${variables.HOLDFAST_URL?.replace(/\/v1$/, '')}/${path}/proposals/${id}`;
};

test('a change that needs approval names the command that proposes it', async () => {
  await place.importAll('production', { A: '1', B: '2' });
  await place.set('dev', 'NEW', value);
  await requireApprovals(1);
  const file = cli.file('it’s.env', `A=${value}\n`);
  for (const [words, next] of [
    [['push', file, '-m', 'why not'], `push '${file}' -m 'why not' -e production --propose`],
    [['unset', 'A'], 'unset A -e production --propose'],
    [['promote', 'dev', 'production'], 'promote dev production -e production --propose'],
    [['restore', '0', '--yes'], 'restore 0 --yes -e production --propose'],
    [['set', '--generate', '32', ...inProduction, '--', 'A'], 'set --generate 32 -e production --propose -- A'],
    [['set', 'A', '--generate', '32', '--show', '--if-version', '1'], 'set A --generate 32 -e production --propose'],
    [['set', 'A', '--generate', '32', '--if-version=1'], 'set A --generate 32 -e production --propose'],
  ] as const) {
    const refused = await holdfast(...words, ...(words.includes('-e' as never) ? [] : inProduction));
    expect(refused).toEqual(failure(6, `\nPropose it instead: holdfast ${next}\n`));
  }
  const asJson = JSON.parse((await holdfast('unset', 'A', ...inProduction, '--json')).stderr);
  expect(asJson.error).toMatchObject({
    code: 'approval_required',
    details: { propose: `/v1${place.at('production', '/proposals')}` },
    hint: 'Propose it instead: holdfast unset A -e production --json --propose',
  });
  expect(await place.values('production')).toEqual({ A: '1', B: '2' });
});

test('each command that changes secrets proposes the change, which others then approve', async () => {
  await place.importAll('production', { A: '1', B: '2' });
  await place.set('dev', 'NEW', value);
  await requireApprovals(1);
  const file = cli.file('.env', `A=${value}\n`);
  const pushed = await holdfast(
    'push',
    file,
    ...inProduction,
    '--prune',
    '--propose',
    '-m',
    'why',
    '--expires-in-days',
    '3',
  );
  const id = pushed.stdout.trim();
  expect(pushed).toEqual({ code: 0, signal: null, stdout: `${id}\n`, stderr: expect.stringContaining('- B') });
  expect(pushed.stderr).toContain(
    'Proposed 2 changes of production, waiting for 1 approval; nothing has changed yet.\n' +
      `Others decide about it in the dashboard: ${pageOf(id)}\n`,
  );
  const proposal = await proposalOf(id);
  expect(proposal).toMatchObject({ updated: ['A'], deleted: ['B'], message: 'why' });
  expect(Date.parse(proposal.expiresAt) - Date.parse(proposal.createdAt)).toBe(3 * 24 * 3600 * 1000);

  const set = await cli.run(['set', 'C', ...inProduction, '--propose'], { env: variables, input: value });
  expect(await proposalOf(set.stdout.trim())).toMatchObject({ created: ['C'] });
  expect(await proposalOf(await propose('unset', 'B'))).toMatchObject({ deleted: ['B'] });
  const promoted = await holdfast('promote', 'dev', 'production', '--only', 'NEW', '--propose');
  expect(await proposalOf(promoted.stdout.trim())).toMatchObject({ created: ['NEW'], from: { slug: 'dev' } });
  expect(await proposalOf(await propose('restore', '0', '--only', 'A'))).toMatchObject({ deleted: ['A'], restored: 0 });

  const edited = await cli.converse(['edit', ...inProduction, '--propose'], [['Propose?', 'y\r']], {
    env: { ...variables, EDITOR: 'echo D=4 >>' },
  });
  expect(edited).toMatchObject({ code: 0, stdout: expect.stringContaining('waiting for 1 approval') });
  expect(await place.values('production')).toEqual({ A: '1', B: '2' });

  const listed = (await proposals()).stdout
    .trim()
    .split('\n')
    .map(line => line.split('\t'));
  expect(listed.map(([, state, , by, keys, why]) => [state, by, keys, why])).toEqual(
    [['+D'], ['-A'], ['+NEW'], ['-B'], ['+C'], ['~A -B', 'why']].map(([keys, why = '']) => [
      'waiting for 1 approval',
      owner.email,
      keys,
      why,
    ]),
  );
  await approve(id);
  expect(await place.values('production')).toEqual({ A: value });
  const applied = JSON.parse((await proposals('--state', 'applied', '--json')).stdout);
  expect(applied.proposals.map((one: { id: string }) => one.id)).toEqual([id]);
});

test('a proposal is exactly the plan that was shown, or is not made', async () => {
  await place.set('production', 'A', '1');
  const moved = await holdfast('unset', 'A', ...inProduction, '--propose', '--if-revision', '0');
  expect(moved).toEqual(failure(6, 'The environment is at revision 1.'));
  const file = cli.file('.env', 'A=2\n');
  const pushed = await holdfast('push', file, ...inProduction, '--propose', '--if-revision', '0');
  expect(pushed).toEqual(failure(6, 'moved from revision 0 to 1; nothing was changed'));
  const started = cli.start(['push', file, ...inProduction, '--propose'], { env: variables, terminal: true });
  await started.until('Propose? [y/N]');
  await place.set('production', 'A', 'theirs');
  started.child.stdin?.write('y\r');
  expect((await started.ended).code).toBe(6);
  expect(started.seen()).toContain('moved from revision 1 to 2; nothing was changed');
  expect((await proposals('--state', 'all')).stdout).toBe('');

  const nothing = cli.file('same.env', 'A=theirs\n');
  const none = await holdfast('push', nothing, ...inProduction, '--expires-in-days', '2');
  expect([none.code, none.stdout, none.stderr.includes('Nothing to propose')]).toEqual([0, '', true]);
  const unused = await holdfast('set', 'A', ...inProduction, '--propose', '--if-version', '1');
  expect(unused).toEqual(failure(2, /'--if-version <number>' cannot be used with option '--propose'/));
});

test('an edit that needs approval is kept, with the command that proposes it', async () => {
  await place.set('production', 'A', '1');
  await requireApprovals(1);
  const env = { ...variables, EDITOR: 'echo B=2 >>', XDG_RUNTIME_DIR: cli.home };
  const { code, stdout } = await cli.converse(['edit', ...inProduction, '--yes'], [], { env });
  const [, file = ''] = /Propose them instead: holdfast push .*?(\/\S+) --as-is --prune --propose/.exec(stdout) ?? [];
  expect([code, readFileSync(file, 'utf8')], stdout).toEqual([6, expect.stringContaining('B=2')]);
  const id = await propose('push', file, '--as-is', '--prune');
  expect(await proposalOf(id)).toMatchObject({ created: ['B'], updated: [], deleted: [] });
});

test('an edit on a terminal that needs approval can be proposed at once, and leaves no file', async () => {
  await place.set('production', 'A', '1');
  await requireApprovals(1);
  const env = { ...variables, EDITOR: 'echo B=2 >>', XDG_RUNTIME_DIR: cli.home };
  const edit = (answer: string) =>
    cli.converse(
      ['edit', ...inProduction],
      [
        ['Apply?', 'y\r'],
        ['Propose?', answer],
      ],
      { env },
    );
  const keptFiles = () => readdirSync(cli.home).filter(name => name.startsWith('holdfast-'));
  const keptBefore = keptFiles();
  const declined = await edit('n\r');
  expect([declined.code, declined.stdout]).toEqual([1, expect.stringContaining('Nothing was proposed.')]);
  const proposed = await edit('y\r');
  expect([proposed.code, proposed.stdout]).toEqual([0, expect.stringContaining('waiting for 1 approval')]);
  for (const { stdout } of [declined, proposed]) expect(stdout).not.toContain('Your edits are kept');
  expect(keptFiles()).toEqual(keptBefore);
  expect((await proposals()).stdout.trim().split('\n')).toHaveLength(1);
  expect(await place.values('production')).toEqual({ A: '1' });
});

test('show lists what a proposal would do, with values and stale keys on demand', async () => {
  await place.importAll('production', { A: 'old', B: '2' });
  const file = cli.file('.env', 'A="new\\nline"\nC=3\n');
  const id = await propose('push', file, '--as-is', '-m', 'move it');
  const shown = await proposals('show', id);
  expect(shown.stdout.split('\n')).toEqual([
    'state\tready to apply',
    expect.stringMatching(`^proposed by\t${owner.email}, `),
    'why\tmove it',
    expect.stringMatching(/^expires\t20/),
    '~ A',
    '+ C',
    '',
  ]);
  expect(shown.stderr).toBe(`Apply it: holdfast proposals apply ${id} -e ${placeName()}\n`);
  expect((await proposals('show', id, '--values')).stdout).toContain('\n~ A "old" → "new\\nline"\n+ C "3"\n');
  await place.set('production', 'A', 'theirs');
  const stale = await proposals('show', id);
  expect(stale.stdout).toContain('\nstale\tA\n');
  expect(stale.stderr).toContain(`holdfast proposals rebase ${id} -e ${placeName()}\n`);
  expect(JSON.parse((await proposals('show', id, '--json')).stdout)).toMatchObject({ proposal: { id }, stale: ['A'] });
  const unknown = await proposals('show', '01943c8e-5a10-7c3d-9f42-6b8e2d7a1c05');
  expect(unknown).toEqual(failure(5, 'holdfast proposals -e production --state all'));
});

test('apply, rebase and withdraw do what they say, and say what to do next', async () => {
  await place.set('production', 'A', '1');
  const id = await propose('push', cli.file('.env', `A=${value}\n`));
  await place.set('production', 'A', '2');
  expect(await proposals('apply', id)).toEqual(failure(6, 'holdfast proposals -e production rebase ID'));
  const rebased = await proposals('rebase', id);
  expect(rebased.stderr).toBe(
    'Proposed anew against revision 2 of production, ready to apply.\n' +
      `Apply it: holdfast proposals apply ${id} -e ${placeName()}\n`,
  );
  const applied = await proposals('apply', id);
  expect([applied.code, applied.stderr]).toEqual([0, 'Applied; production is at revision 3.\n']);
  expect(await place.values('production')).toEqual({ A: value });
  expect(await proposals('withdraw', id)).toEqual(failure(6, 'holdfast proposals -e production show ID'));

  await requireApprovals(2);
  const other = await propose('unset', 'A');
  expect(await proposals('apply', other)).toEqual(failure(4, `Do this in the dashboard: ${pageOf(other)}`));
  const withdrawn = await proposals('withdraw', other);
  expect([withdrawn.code, withdrawn.stderr]).toEqual([0, 'Withdrawn; production is unchanged.\n']);
  const { token } = await createToken(api, await place.member('developer'));
  const env = variablesOf(api.url, token, placeName());
  const third = await propose('unset', 'A');
  expect(await cli.run(['proposals', 'withdraw', third], { env })).toEqual(failure(4, 'Only the author'));
});

test.each(['approve', 'reject'])('%s opens the dashboard and decides nothing with its token', async word => {
  await place.set('production', 'A', '1');
  await requireApprovals(1);
  const id = await propose('unset', 'A');
  expect(await proposals(word, id)).toEqual({ code: 0, signal: null, stdout: `${pageOf(id)}\n`, stderr: '' });
  const asJson = JSON.parse((await proposals(word, id, '--json')).stdout);
  expect(asJson).toMatchObject({ proposal: { id, state: 'open' }, page: pageOf(id) });

  const opened = join(cli.home, 'opened');
  const browser = cli.file('browser', `#!/bin/sh\nprintf %s "$1 $HOLDFAST_TOKEN" >'${opened}'\n`, 0o755);
  const env = { ...variables, BROWSER: browser };
  await cli.converse(['proposals', word, id, ...inProduction, '--no-browser'], [], { env });
  await cli.converse(['proposals', word, id, ...inProduction, '--no-input'], [], { env });
  expect(existsSync(opened)).toBe(false);
  expect((await cli.converse(['proposals', word, id, ...inProduction], [], { env })).code).toBe(0);
  await eventually(() => expect(readFileSync(opened, 'utf8')).toBe(`${pageOf(id)} `));
  expect(await proposalOf(id)).toMatchObject({ state: 'open', approvals: [] });

  await proposals('withdraw', id);
  expect(await proposals(word, id)).toEqual(
    failure(6, `no longer open: it was withdrawn.\nSee what became of it: holdfast proposals`),
  );
});

test('what a change breaks in the template is a warning', async () => {
  await place.set('production', 'A', '1');
  const required = { key: 'A', required: true };
  await expectStatus(
    api.post(`/templates/${owner.organization.slug}/${place.project.slug}`, required, owner.session),
    201,
  );
  const { code, stderr } = await holdfast('unset', 'A', ...inProduction, '--propose', '-q');
  expect([code, stderr]).toEqual([0, 'The template requires A.\n']);
});
