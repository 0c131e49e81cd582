import { describe, expect, it } from 'vitest';
import {
  accessIn,
  accessMatrix,
  cellWords,
  inWords,
  sourcesWith,
  whyInWords,
} from '#clients/dashboard/src/ui/project-access.ts';
import { environmentRules, environmentTypes, roleMay, roles } from '#lib/contracts/fields/role.ts';
import type { MemberRights } from '#lib/contracts/fields/role-in-project.ts';
import type { Project } from '#lib/contracts/projects/projects.ts';

const project = (slug: string, environments: Readonly<Record<string, (typeof environmentTypes)[number]>>) =>
  ({
    id: slug,
    slug,
    environments: Object.entries(environments).map(([name, type]) => ({ id: `${slug} ${name}`, slug: name, type })),
  }) as unknown as Project;
const shop = project('shop', { dev: 'development', eu: 'production', us: 'production' });
const ledger = project('ledger', { dev: 'development', staging: 'staging', production: 'production' });
const sources = sourcesWith(environmentRules);

const granted = (environmentId: string, endsIn = 60_000) => ({
  id: 'grant',
  projectId: 'shop',
  environmentId,
  access: 'read' as const,
  expiresAt: new Date(Date.now() + endsIn).toISOString(),
});

const cell = (...given: Parameters<typeof accessIn>) => {
  const access = accessIn(...given);
  return [cellWords(access), whyInWords(access)];
};

describe('what somebody may do in a project', () => {
  it('follows from the role there or in the organization, which it names', () => {
    const admin: MemberRights = { role: 'admin', projectRoles: [{ projectId: 'shop', role: 'viewer' }] };

    expect(cell(sources, admin, ledger, 'production')).toEqual(['reads, changes', 'role: admin']);
    expect(cell(sources, admin, shop, 'production')).toEqual([undefined, '']);
    expect(cell(sources, admin, shop, 'development')).toEqual(['reads', 'project role: viewer']);
    expect(cell(sources, { role: 'developer' }, ledger, 'production')).toEqual(['changes', 'role: developer']);
    expect(cell(sources, { role: 'developer' }, ledger)).toEqual(['reads dev, staging, changes', 'role: developer']);
  });

  it('is nothing where the project does not exist for a limited member', () => {
    const limited: MemberRights = {
      role: 'developer',
      limited: true,
      projectRoles: [{ projectId: 'shop', role: 'admin' }],
    };

    expect(accessIn(sources, limited, ledger).why).toEqual([]);
    expect(accessIn(sources, limited, shop)).toMatchObject({ role: 'admin', why: ['project role: admin'] });
    const { read, asked } = accessIn(sources, limited, shop);
    expect(inWords(read, asked)).toBe('all environments');
  });

  it('adds up over all sources, each named where it gives something', () => {
    const viewer: MemberRights = { role: 'viewer', limited: true, grants: [granted('shop eu')] };

    expect(cell(sources, viewer, shop, 'production')).toEqual(['reads eu', 'grant']);
    expect(cell(sources, viewer, ledger)).toEqual([undefined, '']);
    const developer: MemberRights = { role: 'developer', grants: [granted('shop eu'), granted('shop us', -1)] };
    expect(cell(sources, developer, shop, 'production')).toEqual(['reads eu, changes', 'grant, role: developer']);
    // What gives nothing in these environments is no reason.
    expect(cell(sources, viewer, shop, 'development')).toEqual([undefined, '']);
  });

  it('names roles that group rules gave, each by itself', () => {
    const inShop = { projectId: 'shop', role: 'viewer', byRules: false } as const;
    const person = { role: 'developer', byRules: true, projectRoles: [inShop] } as const;
    expect(cell(sources, person, ledger, 'development')).toEqual(['reads, changes', 'group rule: developer']);
    expect(cell(sources, person, shop, 'development')).toEqual(['reads', 'project role: viewer']);
    const raised = { role: 'developer', byRules: false, projectRoles: [{ ...inShop, byRules: true }] } as const;
    expect(cell(sources, raised, ledger, 'development')).toEqual(['reads, changes', 'role: developer']);
    expect(cell(sources, raised, shop, 'development')).toEqual(['reads', 'group rule: viewer']);
  });

  it('is what the service decides, for every role and type', () => {
    for (const role of roles)
      for (const type of environmentTypes)
        for (const inProject of [undefined, 'admin', 'developer', 'viewer'] as const) {
          const one = project('one', { only: type });
          const person: MemberRights = {
            role,
            projectRoles: inProject === undefined ? [] : [{ projectId: 'one', role: inProject }],
          };
          for (const action of ['read', 'write'] as const) {
            const isAllowed = accessIn(sources, person, one)[action].environments.length === 1;
            expect([role, inProject, type, action, isAllowed]).toEqual([
              role,
              inProject,
              type,
              action,
              roleMay(action, inProject ?? role, type),
            ]);
          }
        }
  });
});

describe('the matrix', () => {
  it('has those who read the most first, and counts projects', () => {
    const people: MemberRights[] = [
      { role: 'viewer' },
      { role: 'viewer', projectRoles: [{ projectId: 'shop', role: 'admin' }] },
      { role: 'owner' },
      { role: 'developer' },
    ];

    const rows = accessMatrix(sources, people, [shop, ledger], 'production');

    expect(rows.map(({ person, counts }) => [person.role, counts.read, counts.write])).toEqual([
      ['owner', 2, 2],
      ['viewer', 1, 1],
      ['developer', 0, 2],
      ['viewer', 0, 0],
    ]);
    expect(rows[1]?.cells.map(access => cellWords(access))).toEqual(['reads, changes', undefined]);
  });

  it('has nobody in a project without such an environment', () => {
    const [row] = accessMatrix(sources, [{ role: 'owner' } as const], [shop], 'staging');
    expect(row).toMatchObject({ counts: { read: 0, write: 0 } });
  });
});
