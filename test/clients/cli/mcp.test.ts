import { describe, expect, it } from 'vitest';
import { createToken } from '#test/support/api.ts';
import { untilEnd } from '#test/support/fixtures.ts';
import { startMcpClient } from '#test/support/mcp-client.ts';
import { failure } from './cli.ts';
import { useWorkplace } from './workplace.ts';

const { api, cli, owner, place, variables } = useWorkplace();

/** A session of the official client with `holdfast mcp`. */
const start = (env: Readonly<Record<string, string>> = variables) => {
  const base = { PATH: process.env.PATH ?? '', HOME: cli.home, HOLDFAST_KEYRING: 'off' };
  const command = { command: process.execPath, args: [cli.bundle, 'mcp'], env: { ...base, ...env }, cwd: cli.home };
  return untilEnd(startMcpClient(command));
};
const withNamesToken = async () => {
  const { token } = await createToken(api, owner, { access: 'names', organizationId: owner.organization.id });
  return { ...variables, HOLDFAST_TOKEN: token };
};

/** The stored values, none of which may be in an answer. The first two are equal. */
const canaries = { A: 'canary-one', SAME: 'canary-one', B: 'canary-two-which-is-longer', OLD: 'canary-three' };
const fill = async () => {
  await place.importAll('dev', canaries);
  await place.importAll('staging', { A: canaries.A, B: 'canary-four', THERE: 'canary-five' });
  await place.importAll('dev', { OLD: 'canary-six' });
};

/** Each tool, with whatever it takes, and whether it has to refuse that. */
const calls: readonly (readonly [string, object, 'refused'?])[] = [
  ['list_environments', {}],
  ['list_environments', { project: 'no-such-project' }],
  ['list_keys', {}],
  ['list_keys', { environment: 'staging', search: 'T' }],
  ['list_keys', { environment: 'nowhere' }, 'refused'],
  ['describe_key', { key: 'OLD' }],
  ['describe_key', { key: 'NEVER' }],
  ['describe_key', { key: 'not a key' }, 'refused'],
  ['diff_keys', { with: 'staging' }],
  ['diff_keys', { with: 'nowhere' }, 'refused'],
  ['validate', {}],
  ['due', { within: '90d' }],
  ['due', { within: 'soon' }, 'refused'],
  ['plan', { set: [{ key: 'A', generate: {} }], delete: ['B'] }],
  ['plan', { promote: { from: 'dev' }, environment: 'staging' }],
  ['plan', { promote: { from: 'dev', overwrite: false }, environment: 'staging' }],
  ['plan', { promote: { from: 'nowhere' }, environment: 'staging' }, 'refused'],
  ['plan', { set: [{ key: 'A', value: 'canary-one' }] }, 'refused'],
  ['plan', {}, 'refused'],
  ['plan', { delete: ['A'], promote: { from: 'dev' } }, 'refused'],
  ['generate_secret', { key: 'MADE', length: 40 }],
  ['generate_secret', { key: 'MADE', length: 1 }, 'refused'],
  ['generate_secret', { key: 'MADE', value: 'x' }, 'refused'],
  ['propose', { set: [{ key: 'A', generate: { length: 16 } }], delete: ['B'], message: 'why' }],
  ['propose', { promote: { from: 'dev' }, environment: 'staging' }],
  // It would change nothing, which only somebody who may compare values is told.
  ['propose', { promote: { from: 'dev', keys: ['A'] }, environment: 'staging' }],
  ['propose', { set: [{ key: 'A', value: 'x' }] }, 'refused'],
  ['propose', { delete: ['NEVER'] }, 'refused'],
];

describe.each([['names'], ['full']])('with a token whose access is %s, holdfast mcp', access => {
  const open = async () => start(access === 'full' ? variables : await withNamesToken());

  it('has the tools of the specification, each with a schema', async () => {
    const { client } = await open();
    const { tools } = await client.listTools();

    expect(tools.map(({ name }) => name)).toEqual([
      'list_environments',
      'list_keys',
      'describe_key',
      'diff_keys',
      'validate',
      'due',
      'plan',
      'generate_secret',
      'propose',
    ]);
    for (const { name, description, inputSchema } of tools) {
      expect([name, description, inputSchema]).toEqual([
        name,
        expect.stringMatching(/\.$/),
        expect.objectContaining({
          type: 'object',
          additionalProperties: false,
          properties: expect.objectContaining({
            organization: expect.anything(),
            project: expect.anything(),
            environment: expect.anything(),
          }),
        }),
      ]);
    }
    expect(client.getInstructions()).toContain('can print them');
    expect(new Set(calls.map(([name]) => name))).toEqual(new Set(tools.map(({ name }) => name)));
  });

  it('returns no value from any tool, and says nothing about which are equal', async () => {
    await fill();
    const { call } = await open();
    for (const [name, input, refused] of calls) {
      const { text, isError } = await call(name, input);
      const seen = [name, input, isError, text.match(/canary-[a-z]+/g)];
      expect(seen, text).toEqual([name, input, refused !== undefined, null]);
    }
    const made = (await place.values('dev')).MADE;
    expect(made).toHaveLength(40);

    const plan = JSON.parse((await call('plan', { promote: { from: 'dev' }, environment: 'staging' })).text);
    // Two of them are equal to, and one is unlike what is there: the plan doesn't say which.
    expect(plan).toEqual({
      created: ['MADE', 'OLD', 'SAME'],
      replaced: ['A', 'B'],
      deleted: [],
      revision: expect.anything(),
    });
    const diff = JSON.parse((await call('diff_keys', { with: 'staging' })).text);
    expect(diff).toEqual({ onlyIn: { dev: ['MADE', 'OLD', 'SAME'], staging: ['THERE'] }, inBoth: ['A', 'B'] });
  });
});

describe('holdfast mcp', () => {
  it('changes nothing with a token that may only read', async () => {
    const { token } = await createToken(api, owner, { access: 'read' });
    const { call } = await start({ ...variables, HOLDFAST_TOKEN: token });

    expect(await call('list_keys')).toMatchObject({ isError: false });
    expect(await call('generate_secret', { key: 'MADE' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^insufficient_scope: /),
    });
  });

  it('proposes what people then see and apply', async () => {
    await fill();
    const { call } = await start(await withNamesToken());
    const proposed = JSON.parse(
      (await call('propose', { promote: { from: 'dev', keys: ['A', 'OLD'] }, environment: 'staging' })).text,
    );

    expect(proposed).toMatchObject({ state: 'open', created: ['OLD'], replaced: ['A'], deleted: [] });
    expect(proposed.page).toContain(`/environments/staging/proposals/${proposed.id}`);
    const path = place.at('staging', `/proposals/${proposed.id}/apply`);
    expect((await api.post(path, undefined, owner.session)).status).toBe(200);
    expect(await place.values('staging')).toMatchObject({ OLD: 'canary-six', THERE: 'canary-five' });
  });

  it('says what is wrong with a request, in a sentence', async () => {
    const { call } = await start();

    expect(await call('list_keys', { environment: 'nowhere' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^environment_not_found: /),
    });
    expect(await call('generate_secret', { key: 'K', length: 1 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('generate.length: must be at least 8'),
    });
    for (const [tool, input] of [
      ['describe_key', { key: 'not a key' }],
      ['plan', { delete: ['not a key'] }],
    ] as const) {
      expect(await call(tool, input)).toMatchObject({
        isError: true,
        text: expect.stringContaining('A key must begin with a letter or underscore'),
      });
    }
  });

  it('ends with its input, having answered', async () => {
    const request = (id: number, method: string, params: object) =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
    const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const input = [
      request(1, 'initialize', initialize),
      `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`,
      request(2, 'tools/call', { name: 'list_keys', arguments: {} }),
    ].join('');
    const { code, stdout, stderr } = await cli.run(['mcp'], { env: variables, input });

    expect([code, stderr]).toEqual([0, '']);
    const answers = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(answers.map(({ id, result }) => [id, result !== undefined])).toEqual([
      [1, true],
      [2, true],
    ]);
    expect(answers[1].result.content[0].text).toContain('"revision"');
  });

  it('is not for people at a terminal', async () => {
    const { code, stdout } = await cli.run(['mcp'], { env: variables, terminal: true });

    expect([code, stdout]).toEqual([2, expect.stringContaining('An agent has to start this command')]);
  });
});

describe('a token for names only on the command line', () => {
  it('generates, plans and proposes, and gets no value', async () => {
    await fill();
    const env = await withNamesToken();
    const run = (...words: string[]) => cli.run(words, { env });

    const made = await run('set', 'MADE', '--generate', '24');
    expect(made).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('MADE generated, version 1') });
    expect((await place.values('dev')).MADE).toHaveLength(24);
    expect(await run('get', 'A')).toEqual(failure(4, /names/));
    expect(await run('set', 'A', '--generate', '24', '--show')).toEqual(failure(4, /names only/));
    const planned = await run('promote', 'dev', 'staging', '--dry-run', '--json');
    expect(JSON.parse(planned.stdout).plan).toMatchObject({ created: ['MADE', 'OLD', 'SAME'], updated: [] });
    const proposed = await run('set', 'A', '--generate', '24', '--propose');
    expect(proposed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
  });
});
