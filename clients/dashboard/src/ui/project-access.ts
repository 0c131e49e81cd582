import type { EnvironmentType, Role } from '@holdfast/contracts/fields/role.ts';
import { liveGrants, type MemberRights, roleInProject } from '@holdfast/contracts/fields/role-in-project.ts';
import type { Project } from '@holdfast/contracts/projects/projects.ts';

type Environment = Project['environments'][number];

export type Action = 'read' | 'write';

/** Which roles may read and write which environments. */
type Rules = Readonly<Record<Action, Readonly<Record<Role, readonly EnvironmentType[]>>>>;

/** What one source gives somebody in a project. */
interface Given {
  /** Where it comes from, such as `role: admin`. */
  why: string;
  /** What they are in the project; absent for a source that gives no role. */
  role?: Role;
  may: (action: Action, environment: Environment) => boolean;
}

/** Whether the provider's rules gave a role. */
interface Origin {
  byRules?: boolean;
}

/** What a membership says about somebody's access, and where its roles come from. */
type Access = Omit<MemberRights, 'projectRoles'> &
  Origin & { projectRoles?: readonly ({ projectId: string; role: Role } & Origin)[] | undefined };

/** Something that gives people access to a project; undefined where it gives somebody nothing. */
export type Source = (person: Access, project: Project) => Given | undefined;

const names = { organization: 'role', project: 'project role' } as const;

const byRole =
  (rules: Rules): Source =>
  (person, { id }) => {
    const found = roleInProject(person, id);
    if (found === undefined) return undefined;
    const { role, source } = found;
    const listed = person.projectRoles?.find(({ projectId }) => projectId === id);
    const { byRules = false } = listed ?? person;
    return {
      why: `${byRules ? 'group rule' : names[source]}: ${role}`,
      role,
      may: (action, { type }) => rules[action][role].includes(type),
    };
  };

const byGrant: Source = (person, { id }) => {
  const grants = liveGrants(person, Date.now()).filter(({ projectId }) => projectId === id);
  if (grants.length === 0) return undefined;
  const may = (action: Action, environment: Environment) =>
    grants.some(({ access, environmentId }) => access === action && environmentId === environment.id);
  return { why: 'grant', may };
};

/** All sources of access to a project. Whatever else gives access is one more of them. */
export const sourcesWith = (rules: Rules): readonly Source[] => [byRole(rules), byGrant];

interface Allowed {
  environments: readonly Environment[];
  /** The sources that give it, each once. */
  why: readonly string[];
}

/** What somebody may do in those environments of a project that the question is about. */
export interface ProjectAccess {
  /** The environments that the question is about. */
  asked: readonly Environment[];
  /** The sources that make the project visible; none if it doesn't exist for them. */
  why: readonly string[];
  role: Role | undefined;
  read: Allowed;
  write: Allowed;
}

/** @param type asks only about environments of this type. Pure. */
export function accessIn(
  sources: readonly Source[],
  person: Access,
  project: Project,
  type?: EnvironmentType,
): ProjectAccess {
  const given = sources.flatMap(source => source(person, project) ?? []);
  const asked = project.environments.filter(one => type === undefined || one.type === type);
  const allowed = (action: Action): Allowed => ({
    environments: asked.filter(environment => given.some(one => one.may(action, environment))),
    why: given.filter(one => asked.some(environment => one.may(action, environment))).map(({ why }) => why),
  });
  return {
    asked,
    why: given.map(({ why }) => why),
    role: given.find(({ role }) => role !== undefined)?.role,
    read: allowed('read'),
    write: allowed('write'),
  };
}

/** The environments by slug, because the type of an environment can change. Pure. */
export function inWords({ environments }: Pick<Allowed, 'environments'>, asked: readonly Environment[]): string {
  if (environments.length === 0) return '–';
  if (environments.length === asked.length && asked.length > 1) return 'all environments';
  return environments.map(({ slug }) => slug).join(', ');
}

/** What a cell of the matrix says: what is allowed, and where if that is not everywhere. Pure. */
export function cellWords({ asked, read, write }: ProjectAccess): string | undefined {
  const parts = (
    [
      ['reads', read],
      ['changes', write],
    ] as const
  ).flatMap(([verb, { environments }]) => {
    if (environments.length === 0) return [];
    return environments.length === asked.length
      ? [verb]
      : [`${verb} ${environments.map(({ slug }) => slug).join(', ')}`];
  });
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** Where what a cell says comes from, such as `role: admin`. Pure. */
export function whyInWords({ read, write }: ProjectAccess): string {
  return [...new Set([...read.why, ...write.why])].join(', ');
}

export interface MatrixRow<Person extends Access> {
  person: Person;
  /** In the order of the projects. */
  cells: readonly ProjectAccess[];
  /** In how many projects they may do it, somewhere. */
  counts: Readonly<Record<Action, number>>;
}

/** Who may do what in which project. Those who read the most come first, otherwise the order stays. Pure. */
export function accessMatrix<Person extends Access>(
  sources: readonly Source[],
  people: readonly Person[],
  projects: readonly Project[],
  type?: EnvironmentType,
): MatrixRow<Person>[] {
  const rows = people.map(person => {
    const cells = projects.map(project => accessIn(sources, person, project, type));
    const count = (action: Action) => cells.filter(cell => cell[action].environments.length > 0).length;
    return { person, cells, counts: { read: count('read'), write: count('write') } };
  });
  return rows.toSorted((a, b) => b.counts.read - a.counts.read || b.counts.write - a.counts.write);
}
