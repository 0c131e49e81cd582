import { describe, expect, it, test } from 'vitest';
import {
  applyRoleRules,
  type CompleteRights,
  type Current,
  effectiveRules,
  matchingRules,
} from '#lib/contracts/fields/apply-role-rules.ts';
import type { ProjectRole } from '#lib/contracts/fields/project-role.ts';
import { type MemberRights, maximumProjectRoles, roleInProject } from '#lib/contracts/fields/role-in-project.ts';
import type { Role } from '#lib/contracts/fields/role-order.ts';
import { type RoleRule, RoleRules } from '#lib/contracts/fields/role-rule.ts';
import { ExportRecord } from '#lib/contracts/organizations/export-records.ts';

type Given = Omit<RoleRule, 'claim'> & { claim?: string };

const projects = new Map([
  ['p1', 'api'],
  ['p2', 'shop'],
  ['p3', 'site'],
]);
const rule = (one: Given): RoleRule => ({ claim: 'groups', ...one });
const inProject = (value: string, projectId: string, projectRole: ProjectRole) => ({ value, projectId, projectRole });
const listed = (projectId: string, role: ProjectRole) => ({ projectId, slug: projects.get(projectId) ?? 'gone', role });

interface Case {
  rules: readonly Given[];
  groups: unknown;
  defaultRole?: 'developer' | 'viewer' | null;
  current?: Current;
}

function applied({ rules, groups, defaultRole = null, current }: Case) {
  const all = rules.map(rule);
  const matched = matchingRules(all, { groups });
  return applyRoleRules({ matched, hasRules: all.length > 0, defaultRole, projects }, current);
}

const rightsOf = (one: Case): CompleteRights | undefined => applied(one)?.rights;
const rights = (role: Role, more: Partial<CompleteRights> = {}) => ({
  role,
  limited: false,
  projectRoles: [],
  ...more,
});
const byRules = (role: Role, more: Partial<Current> = {}): Current => ({ role, via: 'provider', ...more });

const admins = { value: 'admins', role: 'admin' } as const;
const developers = { value: 'devs', role: 'developer' } as const;
const contractors = { value: 'contractors', role: 'viewer', limited: true } as const;
const shop = inProject('shop', 'p2', 'admin');
const rules = [admins, developers, contractors, shop, inProject('site', 'p3', 'developer')];

describe('a rule matches', () => {
  const match = (claims: Record<string, unknown>, claim = 'groups') =>
    matchingRules([rule({ claim, value: 'devs', role: 'viewer' })], claims).length === 1;

  test.each<[string, Record<string, unknown>, boolean]>([
    ['the value itself', { groups: 'devs' }, true],
    ['a list with it', { groups: ['a', 'devs'] }, true],
    ['another value', { groups: 'developers' }, false],
    ['another case', { groups: ['Devs'] }, false],
    ['a longer text with it', { groups: 'a devs' }, false],
    ['an empty list', { groups: [] }, false],
    ['no claim', {}, false],
    ['a list in a list', { groups: [['devs']] }, false],
    ['an object', { groups: { devs: true } }, false],
    ['null', { groups: null }, false],
    ['another claim', { roles: ['devs'] }, false],
  ])('%s: %o is %s', (_, claims, matches) => {
    expect(match(claims)).toBe(matches);
  });

  test('a nested claim by a JSON pointer, and no inherited one', () => {
    expect(match({ realm_access: { roles: ['devs'] } }, '/realm_access/roles')).toBe(true);
    expect(match({}, 'constructor')).toBe(false);
  });
});

describe('rules give', () => {
  it.each<[string, Case, CompleteRights | undefined]>([
    ['the highest role', { rules, groups: ['devs', 'admins'] }, rights('admin')],
    ['a limited role if all say so', { rules, groups: ['contractors'] }, rights('viewer', { limited: true })],
    ['none that is limited if one does not', { rules, groups: ['contractors', 'devs'] }, rights('developer')],
    [
      'a project’s highest role',
      { rules: [developers, inProject('devs', 'p1', 'viewer'), inProject('a', 'p1', 'admin')], groups: ['devs', 'a'] },
      rights('developer', { projectRoles: [listed('p1', 'admin')] }),
    ],
    [
      'roles in several projects',
      { rules, groups: ['contractors', 'site', 'shop'] },
      rights('viewer', { limited: true, projectRoles: [listed('p2', 'admin'), listed('p3', 'developer')] }),
    ],
    ['the default role if none matches', { rules, groups: ['x'], defaultRole: 'viewer' }, rights('viewer')],
    ['nothing if none matches and there is no default role', { rules, groups: ['x'] }, undefined],
    ['nothing for a project alone without a default role', { rules, groups: ['shop'] }, undefined],
    [
      'a new member the default role with that in a project',
      { rules, groups: ['shop'], defaultRole: 'viewer' },
      rights('viewer', { projectRoles: [listed('p2', 'admin')] }),
    ],
    [
      'nothing by a rule that names a project that is gone, not even its role',
      { rules: [{ ...inProject('a', 'gone', 'admin'), role: 'admin' }], groups: ['a'] },
      undefined,
    ],
  ])('%s', (_, one, expected) => {
    expect(rightsOf(one)).toEqual(expected);
  });
});

describe('a membership that rules made', () => {
  it.each<[string, Case, CompleteRights | undefined]>([
    ['gets what they say now', { rules, groups: ['devs'], current: byRules('admin') }, rights('developer')],
    [
      'loses its projects',
      { rules, groups: ['devs'], current: byRules('viewer', { projectRoles: [listed('p1', 'admin')] }) },
      rights('developer'),
    ],
    [
      'keeps its role where only rules without one match',
      { rules, groups: ['shop'], defaultRole: 'viewer', current: byRules('developer', { limited: true }) },
      rights('developer', { limited: true, projectRoles: [listed('p2', 'admin')] }),
    ],
    [
      'falls back to the default role',
      {
        rules,
        groups: [],
        defaultRole: 'viewer',
        current: byRules('admin', { projectRoles: [listed('p1', 'admin')] }),
      },
      rights('viewer'),
    ],
    ['ends without a default role', { rules, groups: [], current: byRules('admin') }, undefined],
    ['stays if its owner was made one', { rules, groups: [], current: byRules('owner') }, rights('owner')],
    [
      'stays as it is once there are no rules',
      { rules: [], groups: ['devs'], defaultRole: 'viewer', current: byRules('admin') },
      rights('admin'),
    ],
  ])('%s', (_, one, expected) => {
    expect(rightsOf(one)).toEqual(expected);
  });
});

describe('a membership that a person made', () => {
  it.each<[string, Case, CompleteRights]>([
    ['stays where none matches', { rules, groups: [], current: { role: 'developer' } }, rights('developer')],
    [
      'does not get the default role',
      { rules, groups: [], defaultRole: 'developer', current: { role: 'viewer' } },
      rights('viewer'),
    ],
    ['is raised', { rules, groups: ['admins'], current: { role: 'viewer' } }, rights('admin')],
    ['is never lowered', { rules, groups: ['contractors'], current: { role: 'developer' } }, rights('developer')],
    [
      'is never lowered in a project',
      { rules: [inProject('a', 'p1', 'viewer')], groups: ['a'], current: { role: 'developer' } },
      rights('developer'),
    ],
    [
      'keeps a lower role that a person gave in a project',
      { rules, groups: ['admins'], current: { role: 'developer', projectRoles: [listed('p1', 'viewer')] } },
      rights('admin', { projectRoles: [listed('p1', 'viewer')] }),
    ],
    [
      'is raised in a project',
      { rules, groups: ['shop'], current: { role: 'developer', projectRoles: [listed('p2', 'viewer')] } },
      rights('developer', { projectRoles: [listed('p2', 'admin')] }),
    ],
    [
      'stays limited where only projects are given',
      { rules, groups: ['shop'], current: { role: 'viewer', limited: true } },
      rights('viewer', { limited: true, projectRoles: [listed('p2', 'admin')] }),
    ],
    [
      'is no longer limited with a role that is not',
      { rules, groups: ['devs'], current: { role: 'viewer', limited: true } },
      rights('developer'),
    ],
    [
      'gets no limited role in all projects',
      { rules: [{ value: 'a', role: 'developer', limited: true }], groups: ['a'], current: { role: 'viewer' } },
      rights('viewer'),
    ],
    ['of an owner is left alone', { rules, groups: ['shop'], current: { role: 'owner' } }, rights('owner')],
  ])('%s', (_, one, expected) => {
    expect(rightsOf(one)).toEqual(expected);
  });

  it('loses what rules gave once they no longer match, and keeps what a person has changed since', () => {
    const given: Current = { role: 'viewer', projectRoles: [listed('p1', 'developer')] };
    const first = applied({ rules, groups: ['devs', 'shop'], current: given });
    expect(first?.rights).toEqual(
      rights('developer', { projectRoles: [listed('p1', 'developer'), listed('p2', 'admin')] }),
    );
    const raised: Current = { ...first?.rights, role: 'developer', addedByRules: first?.addedByRules };

    expect(applied({ rules, groups: [], current: raised })).toEqual({
      rights: rights('viewer', { projectRoles: [listed('p1', 'developer')] }),
      addedByRules: undefined,
    });
    expect(rightsOf({ rules: [], groups: [], current: raised })?.role).toBe('viewer');
    const changed: Current = {
      ...raised,
      role: 'admin',
      projectRoles: [listed('p2', 'admin'), listed('p3', 'viewer')],
    };
    expect(rightsOf({ rules, groups: [], current: changed })).toEqual(
      rights('admin', { projectRoles: [listed('p3', 'viewer')] }),
    );
  });

  it('gets nothing from rules that would list more projects than a membership can name', () => {
    const many = Array.from({ length: maximumProjectRoles }, (_, index) => ({
      projectId: `q${index}`,
      slug: `q${index}`,
      role: 'viewer' as const,
    }));
    const current = (count: number): Current => ({ role: 'viewer', projectRoles: many.slice(0, count) });
    const groups = ['devs', 'shop'];
    const two = [developers, shop, inProject('shop', 'p3', 'admin')];
    expect(applied({ rules: two, groups, current: current(98) })?.rights.projectRoles).toHaveLength(100);
    const { rights: unchanged, addedByRules } = applied({ rules: two, groups, current: current(99) }) ?? {};
    expect([unchanged?.role, unchanged?.projectRoles.length, addedByRules]).toEqual(['viewer', 99, undefined]);
    const full: Current = { role: 'viewer', projectRoles: [...many.slice(1), listed('p2', 'viewer')] };
    const raised = rightsOf({ rules: [shop], groups, current: full })?.projectRoles;
    expect([raised?.length, raised?.find(({ projectId }) => projectId === 'p2')?.role]).toEqual([100, 'admin']);
  });

  it('never becomes a limited admin', () => {
    const first = applied({ rules, groups: ['devs'], current: { role: 'viewer', limited: true } });
    const promoted: Current = { ...first?.rights, role: 'admin', addedByRules: first?.addedByRules };
    expect(rightsOf({ rules, groups: [], current: promoted })).toEqual(rights('admin'));
  });
});

describe('what rules added, in an export', () => {
  const projectId = '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73';
  const inShop = { projectId, slug: 'shop', role: 'admin' };
  const given = { role: 'viewer', limited: false, projectRoles: [inShop] };
  const accepts = (changes: object) =>
    ExportRecord.safeParse({
      record: 'member',
      id: projectId,
      userId: projectId,
      email: 'ada@example.com',
      name: 'Ada',
      role: 'viewer',
      joinedAt: '2026-01-31T09:26:53.589Z',
      addedByRules: { given: { ...given, ...changes }, made: given },
    }).success;

  it.each<[string, object]>([
    ['an owner', { role: 'owner' }],
    ['the role of an owner in a project', { projectRoles: [{ ...inShop, role: 'owner' }] }],
    ['an id that is none', { projectRoles: [{ ...inShop, projectId: 'shop' }] }],
    ['a slug with the separator of keys', { projectRoles: [{ ...inShop, slug: 'a#b' }] }],
    ['something unknown', { grants: [] }],
  ])('never has %s', (_, changes) => {
    expect([accepts({}), accepts(changes)]).toEqual([true, false]);
  });
});

describe('a request’s rules', () => {
  const accepts = (one: unknown) => RoleRules.safeParse([one]).success;
  const projectId = '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73';

  it.each<[string, unknown]>([
    ['a role', { value: 'a', role: 'admin' }],
    ['a limited role', { value: 'a', role: 'developer', limited: true }],
    ['a role in a project', { claim: 'roles', value: 'a', projectId, projectRole: 'admin' }],
    ['both', { value: 'a', role: 'viewer', limited: true, projectId, projectRole: 'admin' }],
  ])('may give %s', (_, one) => {
    expect(accepts(one)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['the role of an owner', { value: 'a', role: 'owner' }],
    ['the role of an owner in a project', { value: 'a', projectId, projectRole: 'owner' }],
    ['nothing', { value: 'a' }],
    ['a project without a role', { value: 'a', role: 'viewer', projectId }],
    ['a role without its project', { value: 'a', projectRole: 'viewer' }],
    ['a limited admin', { value: 'a', role: 'admin', limited: true }],
    ['a limit without a role', { value: 'a', limited: true, projectId, projectRole: 'viewer' }],
    ['something without a value', { role: 'viewer' }],
    ['something for an empty value', { value: '', role: 'viewer' }],
    ['something for a claim with a space', { claim: 'a b', value: 'a', role: 'viewer' }],
    ['something unknown', { value: 'a', role: 'viewer', projectID: projectId }],
  ])('can’t give %s', (_, one) => {
    expect(accepts(one)).toBe(false);
  });
});

/* Random settings and memberships against an oracle that knows only ranks in projects. */

const ranks = { owner: 4, admin: 3, developer: 2, viewer: 1 } as const;
const names = ['admin', 'developer', 'viewer'] as const;
/** Besides the listed ones, `other` stands for all projects that nobody names. */
const everyProject = [...projects.keys(), 'other'];

/** A small generator (mulberry32), so that a failure can be repeated. */
function randomOf(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const oneOf = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  return { below, oneOf, isTrue: (part = 0.5) => next() < part };
}

type Random = ReturnType<typeof randomOf>;

const values = ['a', 'b', 'c', 'd'];

function randomRule({ oneOf, isTrue }: Random): Given {
  const role = isTrue(0.6) ? oneOf(names) : undefined;
  const projectId = role === undefined || isTrue(0.3) ? oneOf([...projects.keys(), 'gone']) : undefined;
  return {
    value: oneOf(values),
    ...(role === undefined ? {} : { role, ...(role !== 'admin' && isTrue() ? { limited: true } : {}) }),
    ...(projectId === undefined ? {} : { projectId, projectRole: oneOf(names) }),
  };
}

function randomRights({ oneOf, isTrue }: Random): MemberRights & { projectRoles: ReturnType<typeof listed>[] } {
  const role = oneOf(names);
  return {
    role,
    limited: role !== 'admin' && isTrue(0.4),
    projectRoles: [...projects.keys()].filter(() => isTrue(0.3)).map(id => listed(id, oneOf(names))),
  };
}

const rankIn = (one: MemberRights | undefined, id: string): number => {
  const found = one && roleInProject(one, id);
  return found === undefined ? 0 : ranks[found.role];
};

/** What rules give in a project, and whether one of them is about it. */
function oracleOfRules(matched: readonly Given[], id: string) {
  const withRole = matched.filter(one => one.role !== undefined);
  const isLimited = withRole.length > 0 && withRole.every(one => one.limited === true);
  const everywhere = isLimited ? 0 : Math.max(0, ...withRole.map(one => ranks[one.role as Role]));
  const there = matched.filter(one => one.projectId === id).map(one => ranks[one.projectRole as Role]);
  return there.length > 0 ? Math.max(...there) : everywhere;
}

describe('for random rules and memberships', () => {
  it.each(Array.from({ length: 400 }, (_, seed) => seed))('what rules make is what they say (%i)', seed => {
    const random = randomOf(seed);
    const all = Array.from({ length: 1 + random.below(6) }, () => randomRule(random));
    const groups = values.filter(() => random.isTrue());
    const defaultRole = random.oneOf(['developer', 'viewer', null] as const);
    const current = random.isTrue() ? { ...randomRights(random), via: 'provider' as const } : undefined;
    const matched = all.filter(one => groups.includes(one.value) && one.projectId !== 'gone');
    const withRole = matched.filter(one => one.role !== undefined);
    const after = rightsOf({ rules: all, groups, defaultRole, ...(current && { current }) });
    const keepsRole = withRole.length === 0 && matched.length > 0 && current !== undefined;

    if (withRole.length === 0 && !keepsRole && defaultRole === null) return expect(after).toBeUndefined();
    for (const id of everyProject) {
      const hasOwn = matched.some(one => one.projectId === id);
      const otherwise = keepsRole
        ? rankIn({ role: current.role, limited: current.limited }, id)
        : ranks[defaultRole ?? 'viewer'];
      const expected = hasOwn || withRole.length > 0 ? oracleOfRules(matched, id) : otherwise;
      expect([id, rankIn(after, id)]).toEqual([id, expected]);
    }
    expect(after?.role).not.toBe('owner');
  });

  it.each(Array.from({ length: 300 }, (_, seed) => seed))('what a person gave is only added to (%i)', seed => {
    const random = randomOf(1000 + seed);
    let given = randomRights(random);
    let current: Current = given;
    for (let signIn = 0; signIn < 6; signIn += 1) {
      const all = Array.from({ length: random.below(6) }, () => randomRule(random));
      const groups = values.filter(() => random.isTrue());
      const made = applied({ rules: all, groups, defaultRole: random.oneOf(['developer', null] as const), current });
      const matched = all.filter(one => groups.includes(one.value) && one.projectId !== 'gone');
      for (const id of everyProject) {
        const isListed = given.projectRoles.some(one => one.projectId === id);
        const hasRule = matched.some(one => one.projectId === id);
        // A role that a person gave in a project counts there instead of every role in the organization.
        const added = isListed && !hasRule ? 0 : oracleOfRules(matched, id);
        expect([signIn, id, rankIn(made?.rights, id)]).toEqual([signIn, id, Math.max(rankIn(given, id), added)]);
      }
      expect(made?.rights.limited === true && made.rights.role === 'admin').toBe(false);
      current = { ...(made?.rights as CompleteRights), addedByRules: made?.addedByRules };
      if (random.isTrue(0.4)) [current, given] = changedByPerson(random, current, given);
    }
  });

  it('nothing names a project that is gone, except what a person gave', () => {
    const gone = rule(inProject('a', 'gone', 'admin'));
    expect(effectiveRules([gone], projects)).toEqual([]);
  });
});

/** A person sets a role in one project or takes it away; the oracle notes it only if that changes something. */
function changedByPerson({ oneOf, isTrue }: Random, current: Current, given: ReturnType<typeof randomRights>) {
  const id = oneOf([...projects.keys()]);
  const role = isTrue(0.7) ? oneOf(names) : undefined;
  const withOther = (list: readonly ReturnType<typeof listed>[] = []) => [
    ...list.filter(({ projectId }) => projectId !== id),
    ...(role === undefined ? [] : [listed(id, role)]),
  ];
  const isSame = current.projectRoles?.find(({ projectId }) => projectId === id)?.role === role;
  const changed: Current = { ...current, projectRoles: withOther(current.projectRoles) };
  return [changed, isSame ? given : { ...given, projectRoles: withOther(given.projectRoles) }] as const;
}
