import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { MemberRule } from '#lib/contracts/contract.ts';
import { parameterNames } from '#lib/contracts/path-parameters.ts';
import { type RoutedContract, routes } from '#lib/contracts/routes.ts';
import { useApi } from '../support/api.ts';
import { documentedRequest, unknownValues } from '../support/documented-request.ts';
import { inParallel } from '../support/in-parallel.ts';
import { startWithoutWorkers, verdictOf } from './every-verdict.ts';
import { addGuests } from './guests.ts';
import {
  type Environment,
  environments,
  guests,
  type Need,
  type Project,
  people,
  projects,
  verdictBelowProject,
} from './rights.ts';
import { expectedOfMember, type Row, rows } from './verdicts.ts';
import { buildWorld, type Headers, type World } from './world.ts';

/*
 * Every operation below a project, in each environment, inside and outside the project that people have a role or a
 * grant in, for everybody. What an operation needs is derived from its contract, so a new one is covered by itself. One
 * whose body or query names an environment has to be described in `naming`.
 *
 * The time stands still: the grants that run have a millisecond left, and the others have ended at this moment.
 */

const api = useApi(() => startWithoutWorkers());
let world: World;

beforeAll(async () => {
  const built = await buildWorld(api);
  const nowMs = Date.now() + 1000;
  world = await addGuests(api, built, nowMs);
  vi.useFakeTimers({ toFake: ['Date'], now: nowMs });
});
afterAll(() => {
  vi.useRealTimers();
});

interface Asked {
  query?: string;
  body?: unknown;
  needs?: readonly Need[];
}

const others = (env: Environment) => environments.filter(other => other !== env);

/** What differs from the documented request, for an environment. */
const naming: Readonly<Record<string, (env: Environment) => Asked[]>> = {
  'compare-environments': env =>
    others(env).map(other => ({ query: `?with=${other}`, needs: [{ env: other, action: 'read' }] })),
  'promote-secrets': env =>
    others(env).map(from => ({
      body: { from, to: env },
      needs: [
        { env: from, action: 'read' },
        { env, action: 'write' },
      ],
    })),
  'create-environment': () => [{ body: { name: 'New' } }],
  'update-environment': () => [{ body: { name: 'Renamed' } }],
  // Only owners and admins may delete more than one.
  'apply-changes': () => [{ body: { set: [{ key: 'B', value: 'new' }] } }],
  'bulk-delete-secrets': () => [{ body: { keys: ['KEY'] } }],
  'restore-secrets': () => [{ body: { revision: 0, keys: ['NEVER'] } }],
  'destroy-versions': () => [{ body: { before: 1 } }],
  'diff-revisions': () => [{ query: '?from=0' }],
};

interface Question extends Required<Asked> {
  contract: RoutedContract & { access: MemberRule };
  project: Project;
  env: Environment;
}

const below = routes.filter(
  (contract): contract is Question['contract'] =>
    contract.access.kind === 'member' && /\{(slug|project)\}/.test(contract.path),
);

/** An operation whose contract names a rule for environments names one somewhere. */
const namesEnvironment = ({ path, access }: Question['contract']) =>
  parameterNames(path).includes('env') || access.environmentRule !== undefined;

function questionsOf(contract: Question['contract'], project: Project): Question[] {
  return (namesEnvironment(contract) ? environments : (['dev'] as const)).flatMap(env => {
    const inPath = parameterNames(contract.path).includes('env');
    const own: Need[] = inPath ? [{ env, action: contract.access.environmentRule ?? 'see' }] : [];
    return (naming[contract.operationId]?.(env) ?? [{}]).map(({ query = '', body, needs = [] }) => ({
      contract,
      project,
      env,
      query,
      body: body ?? (contract.body === undefined ? undefined : contract.bodyExample),
      needs: [...own, ...needs],
    }));
  });
}

async function ask({ contract, project, env, query, body }: Question, headers: Headers): Promise<string> {
  const { organization, project: shop, otherProject } = world.own;
  const { slug } = project === 'the project' ? shop : otherProject;
  const named = { orgId: organization.id, orgSlug: organization.slug, project: slug, slug, env, key: 'KEY' };
  const { method, path } = documentedRequest(contract, { ...unknownValues(), ...named });
  const verdict = verdictOf(await api.call(method, path + query, { body, headers: { ...headers } }));
  if (verdict === 'ok' && method !== 'GET') await world.restore();
  return verdict;
}

const sessionOf = (name: string) => world.callers[`${name}: session`] as Headers;

/** What refusals look like. The owner gets none of them, or the request tells nothing. */
const refusals = ['organization_not_found', 'project_not_found', 'environment_not_found', 'forbidden'];

/** Changes that are allowed are undone before the next request. Other requests run at once. */
async function askEverybody(expected: Readonly<Record<string, string>>, askAs: (name: string) => Promise<string>) {
  const actual: Record<string, string> = {};
  const note = async (name: string) => {
    actual[name] = await askAs(name);
  };
  const names = Object.keys(expected);
  const isAlone = (name: string) => expected[name] === 'ok';
  await inParallel(
    8,
    names.filter(name => !isAlone(name)).map(name => () => note(name)),
  );
  for (const name of names.filter(isAlone)) await note(name);
  return actual;
}

describe.each(projects)('in %s, everybody gets what their role there and their grants give them for', project => {
  it.each(below.map(contract => [contract.operationId, contract] as const))('%s', async (_, contract) => {
    for (const question of questionsOf(contract, project)) {
      const { env, query, body, needs } = question;
      const admitted = await ask(question, sessionOf('owner'));
      expect(refusals, JSON.stringify({ env, query, body })).not.toContain(admitted);
      const expected = Object.fromEntries(
        Object.entries(people).map(([name, person]) => {
          const verdict = verdictBelowProject(contract.access, person, project, needs);
          return [name, verdict === 'admitted' ? admitted : verdict];
        }),
      );
      const actual = await askEverybody(expected, name => ask(question, sessionOf(name)));
      expect({ env, query, body, actual }).toEqual({ env, query, body, actual: expected });
    }
  });
});

/** Grants give nothing outside projects, except that a project which exists for somebody can be asked about. */
const byGrant: Readonly<Record<string, (guest: string) => string | undefined>> = {
  'request-grant': name => {
    const { limited, inProject, grant } = guests[name] ?? {};
    if (limited !== true || inProject !== undefined) return undefined;
    return grant?.state === 'running' && grant.env === 'production' ? undefined : 'environment_not_found';
  },
};

describe('a grant gives nothing outside its project for', () => {
  const outside = rows.filter(({ isBelowProject }) => !isBelowProject);

  it.each(outside.map(row => [row.route, row] as const))('%s', async (_, row: Row) => {
    const expected = Object.fromEntries(
      Object.entries(guests).map(([name, guest]) => [
        name,
        byGrant[row.operationId]?.(name) ?? expectedOfMember(row, guest),
      ]),
    );
    const actual = await askEverybody(expected, async name => {
      const method = row.route.split(' ')[0] as string;
      const { path, body } = row.request(world);
      const verdict = verdictOf(await api.call(method, path, { body, headers: { ...sessionOf(name) } }));
      if (verdict === 'ok' && method !== 'GET') await world.restore();
      return verdict;
    });
    expect(actual).toEqual(expected);
  });
});
