import type { MemberRule } from '#lib/contracts/contract.ts';
import type { Role } from '#lib/contracts/fields/role.ts';
import { type ProjectMember, projectMembers } from './world.ts';

/*
 * What the specification gives people below a project, told anew: nothing here comes from `lib/access` or from the
 * tables in `lib/contracts/fields`. Which roles an operation takes and whether grants count for it is in its contract.
 */

/** The environments that every project has at first, by their type. */
export const environments = ['dev', 'staging', 'production'] as const;
export type Environment = (typeof environments)[number];

export const projects = ['the project', 'another project'] as const;
export type Project = (typeof projects)[number];

type GrantState = 'running' | 'ended';

/** Access to one environment of the project. */
interface Guest extends ProjectMember {
  grant: { access: 'read' | 'write'; env: Environment; state: GrantState };
}

const states: readonly GrantState[] = ['running', 'ended'];
const granted: Readonly<Record<string, Omit<Guest, 'grant'> & { grants: readonly Omit<Guest['grant'], 'state'>[] }>> = {
  viewer: {
    role: 'viewer',
    grants: [
      { access: 'read', env: 'production' },
      { access: 'write', env: 'dev' },
    ],
  },
  developer: { role: 'developer', grants: [{ access: 'read', env: 'production' }] },
  'limited member': {
    role: 'developer',
    limited: true,
    grants: [
      { access: 'read', env: 'production' },
      { access: 'write', env: 'staging' },
    ],
  },
  'viewer limited to the project': {
    role: 'developer',
    inProject: 'viewer',
    limited: true,
    grants: [{ access: 'write', env: 'production' }],
  },
};

/** Members with a grant in the project that is still running, or has just ended. */
export const guests: Readonly<Record<string, Guest>> = Object.fromEntries(
  Object.entries(granted).flatMap(([name, { grants, ...member }]) =>
    grants.flatMap(grant =>
      states.map(state => [
        `${name}, may ${grant.access} ${grant.env}: ${state}`,
        { ...member, grant: { ...grant, state } },
      ]),
    ),
  ),
);

/** Undefined for who isn't a member. */
export type Person = (ProjectMember & { grant?: Guest['grant'] }) | undefined;

/** Everybody, by the name that their session has among the callers of the world. */
export const people: Readonly<Record<string, Person>> = {
  ...Object.fromEntries((['owner', 'admin', 'developer', 'viewer'] as const).map(role => [role, { role }])),
  ...projectMembers,
  ...guests,
  stranger: undefined,
};

const mayRead: Readonly<Record<Environment, readonly Role[]>> = {
  dev: ['owner', 'admin', 'developer', 'viewer'],
  staging: ['owner', 'admin', 'developer'],
  production: ['owner', 'admin'],
};
const mayWrite: readonly Role[] = ['owner', 'admin', 'developer'];

/** What a request asks for in an environment. */
export interface Need {
  env: Environment;
  /** `see` needs no more than that the environment exists. */
  action: 'read' | 'write' | 'see';
}

type Rule = Pick<MemberRule, 'roles' | 'granted'>;

/**
 * `admitted`, or the error code of the refusal.
 * @param needs in the order in which the operation asks for them: the first that is refused is the answer
 */
export function verdictBelowProject(rule: Rule, person: Person, project: Project, needs: readonly Need[]): string {
  if (person === undefined) return 'organization_not_found';
  const role = roleIn(project, person);
  const grant = project === 'the project' && person.grant?.state === 'running' ? person.grant : undefined;
  if (role === undefined && grant === undefined) return 'project_not_found';
  const roles: readonly Role[] = rule.roles;
  const suffices = role !== undefined && roles.includes(role);
  if (!suffices && !(rule.granted === true && grant !== undefined)) return 'forbidden';
  for (const { env, action } of needs) {
    if (role === undefined && grant?.env !== env) return 'environment_not_found';
    const isGranted = grant?.env === env && grant.access === action;
    if (action !== 'see' && !hasRight(action, role, env) && !isGranted) return 'forbidden';
  }
  return 'admitted';
}

function roleIn(project: Project, { role, limited, inProject, inOther }: ProjectMember): Role | undefined {
  const listed = project === 'the project' ? inProject : inOther;
  return listed ?? (limited === true ? undefined : role);
}

function hasRight(action: 'read' | 'write', role: Role | undefined, env: Environment): boolean {
  return role !== undefined && (action === 'read' ? mayRead[env] : mayWrite).includes(role);
}
