import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { shared } from '#test/support/fixtures.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { runCommand } from '#test/support/run-command.ts';

const installation = `previous-test-${process.pid}`;
const file = join(import.meta.dirname, '../../../installations', `${installation}.json`);

interface Version {
  Version: string;
  Role: string;
  LastModified: string;
  Environment: { Variables: Record<string, string> };
}
const version = (number: string, { role = 'role/a', variables = {} } = {}): Version => ({
  Version: number,
  Role: role,
  LastModified: `2026-11-2${number}T10:00:00.000+0000`,
  Environment: { Variables: { TABLE_NAME: 'holdfast-table', ...variables } },
});

let versions: Version[];
let alias: { FunctionVersion: string; RoutingConfig?: { AdditionalVersionWeights: Record<string, number> } };
let moves: Record<string, unknown>[];

/** Lambda as far as the command uses it. */
const lambda = shared(() =>
  startReceiver((response, { method, path: url, body }) => {
    const { pathname, searchParams } = new URL(url, 'http://lambda');
    const name = 'holdfast-pull-secrets';
    const answer = (value: unknown) => response.end(JSON.stringify(value));
    if (pathname === `/2015-03-31/functions/${name}/aliases/live`) {
      if (method === 'PUT') moves.push(JSON.parse(body.toString()));
      return answer({ Name: 'live', RevisionId: 'revision-1', ...alias });
    }
    if (pathname === `/2015-03-31/functions/${name}/versions`) {
      const [first, ...others] = [version('$LATEST'), ...versions];
      // Two pages.
      return answer(searchParams.has('Marker') ? { Versions: others } : { Versions: [first], NextMarker: 'more' });
    }
    const found = versions.find(one => one.Version === searchParams.get('Qualifier'));
    return found === undefined ? response.writeHead(404).end('{}') : answer(found);
  }),
);

beforeAll(() => writeFileSync(file, JSON.stringify({ mailFrom: 'no-reply@holdfast.test', region: 'eu-central-1' })));
afterAll(() => rmSync(file, { force: true }));
beforeEach(() => {
  versions = [version('1'), version('2'), version('3')];
  alias = { FunctionVersion: '3' };
  moves = [];
});

function move(...args: string[]) {
  return runCommand('previous-version', [installation, ...args], {
    ...process.env,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_LAMBDA: lambda.url,
  });
}

async function refusalOf(...args: string[]): Promise<string> {
  const { code, stderr } = await move(...args);
  expect([code, moves]).toEqual([1, []]);
  return stderr;
}

describe('the previous version of a function', () => {
  test('serves at once, and the newest one again with --undo', async () => {
    const { code, stdout } = await move('pull-secrets');
    expect([code, stdout]).toEqual([0, expect.stringContaining('holdfast-pull-secrets now serves version 2')]);
    alias = { FunctionVersion: '1' };
    expect((await move('pull-secrets', '--undo')).code).toBe(0);
    expect(moves).toEqual([
      // Only if nobody moved it meanwhile.
      { FunctionVersion: '2', RevisionId: 'revision-1' },
      { FunctionVersion: '3', RevisionId: 'revision-1' },
    ]);
  });

  test('does not serve with a role that may be gone, or with other settings, which are named without their values', async () => {
    versions = [version('2', { role: 'role/b', variables: { EDGE_SECRETS: 'swordfish' } }), version('3')];
    const said = await refusalOf('pull-secrets');
    expect(said).toContain('differs from 3 in more than its code (its role, EDGE_SECRETS)');
    expect(said).not.toContain('swordfish');
  });

  test('does not interfere with a gradual deployment', async () => {
    alias = { FunctionVersion: '2', RoutingConfig: { AdditionalVersionWeights: { 3: 0.1 } } };
    expect(await refusalOf('pull-secrets')).toContain('aws deploy stop-deployment --auto-rollback-enabled');
  });

  test('must exist', async () => {
    alias = { FunctionVersion: '1' };
    expect(await refusalOf('pull-secrets')).toContain('has no earlier version than 1');
    expect(await refusalOf('pull-nothing')).toBe('There is no function pull-nothing.\n');
    expect(await refusalOf()).toContain('Usage: npm run operate -- previous-version');
  });
});
