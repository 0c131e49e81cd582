import type { MemberRule } from '../contracts/contract.ts';
import { namesOnly, type Role, roleMay } from '../contracts/fields/role.ts';
import { liveGrants, rightsInProject } from '../contracts/fields/role-in-project.ts';
import { ApiError, environmentNotFound, projectNotFound } from '../core/errors.ts';
import type { EnvironmentState } from '../table/records/environment.ts';
import type { MemberRecord, OrganizationRecord } from '../table/records/organization.ts';
import type { ProjectRecord } from '../table/records/project.ts';
import { type Principal, scopeOf } from './principal.ts';
import { coversEnvironment, coversProject, namesEnvironment } from './token-scope.ts';

type Project = Pick<ProjectRecord, 'id' | 'organizationId' | 'status'>;
type Environment = Pick<EnvironmentState, 'id' | 'slug' | 'projectId' | 'organizationId' | 'type' | 'status'>;

/** Who the member is. What the member may do is asked of `MemberAccess`, because it may differ by project. */
type Identified = Omit<MemberRecord, 'role' | 'limited' | 'projectRoles' | 'grants'>;

type Action = 'read' | 'write' | 'see';

/** What a request asks for, and the grants that its checks depended on so far. */
type Route = { rule: MemberRule; projectSlug?: string | undefined; usedGrants?: Map<string, string> };

/** What errors call a member whom only a grant lets in. */
const grantOnly = 'of a guest';

/**
 * What a caller may do in an organization: the member's role, which may differ by project, and their grants, ∩ the
 * token's scope. A deployer is a viewer, and may also read and write in its environment if the operation admits
 * deployers. Records the checks, so that the chain can reject the response of a handler that forgot one, and repeats
 * them after each wait. Whether a grant has ended is decided in each check.
 */
export class MemberAccess {
  readonly organization: OrganizationRecord;
  readonly #rule: MemberRule;
  /** Of the project in the path. */
  readonly #projectSlug: string | undefined;
  #principal: Principal;
  #member: MemberRecord;
  #projectId: string | undefined;
  /** The environments asked about, by slug, and for what. */
  readonly #environments = new Map<string, { environment: Environment; action: Action }>();
  /** The ids of the grants that a check depended on, with their environments. */
  readonly #usedGrants: Map<string, string>;
  /** What the caller may do in further projects of the request, by slug. */
  readonly #others = new Map<string, MemberAccess>();
  #environmentAsked = false;
  #managementAsked = false;
  /** Whether the request needs values; undefined until the handler has said so. */
  #needsValues: boolean | undefined;

  constructor(
    organization: OrganizationRecord,
    member: MemberRecord,
    principal: Principal,
    { rule, projectSlug, usedGrants = new Map<string, string>() }: Route,
  ) {
    this.organization = organization;
    this.#member = member;
    this.#principal = principal;
    this.#rule = rule;
    this.#projectSlug = projectSlug;
    this.#usedGrants = usedGrants;
  }

  get principal(): Principal {
    return this.#principal;
  }

  get member(): Identified {
    return this.#member;
  }

  /** The membership itself, for `roleInProject` and to require in a commit that it has not changed. */
  get record(): MemberRecord {
    return this.#member;
  }

  get isOwner(): boolean {
    return this.#member.role === 'owner';
  }

  /** The membership, for routes that are not below a project. */
  get membership(): MemberRecord {
    if (this.#projectSlug !== undefined) throw new Error('Below a project, the role in that project counts.');
    return this.#member;
  }

  /** The role in the project that has been required. Whom only a grant lets in counts as a viewer. */
  get projectRole(): Role {
    const rights = this.#projectId === undefined ? undefined : this.#rightsIn(this.#projectId);
    if (rights === undefined) throw new Error('The handler asked for a role before it required the project.');
    return rights.role ?? 'viewer';
  }

  /** The role to name in messages: of the identity, in the required project, or in the organization. */
  get role(): string {
    const inProject = this.#projectId === undefined ? undefined : this.#rightsIn(this.#projectId)?.role;
    return this.#principal.identity?.role ?? inProject ?? this.#member.role;
  }

  /** Whether the operation admits deployers and the caller is one. */
  get #deploys(): boolean {
    return this.#rule.deployers === true && this.#principal.identity?.role === 'deployer';
  }

  #rightsIn(projectId: string) {
    return rightsInProject(this.#member, projectId, Date.now());
  }

  /**
   * Checks the role as far as that needs no read. In a project for which the member has a role or a grant,
   * `requireProject` checks it. For a limited member, other projects are missing before anything read about them can
   * matter, so that the response takes as long for one that exists.
   * @throws forbidden, project_not_found
   */
  requireRole(): void {
    const { role, limited, projectRoles = [] } = this.#member;
    const { limitedMembers, leaves, projectAdmins } = this.#rule;
    if (this.#projectSlug !== undefined) {
      const named = [...projectRoles.map(({ slug }) => slug), ...this.#live.map(({ project }) => project)];
      if (named.includes(this.#projectSlug)) return;
      if (limited === true) throw projectNotFound();
    } else {
      if (projectAdmins === true && projectRoles.some(listed => listed.role === 'admin')) return;
      if (limited === true && limitedMembers !== true && leaves !== true) {
        throw new ApiError('forbidden', 'Your membership is limited to single projects, so you can’t do this.');
      }
    }
    this.#requireAmong(role);
  }

  /** @param role undefined for whom only a grant lets in */
  #requireAmong(role: Role | undefined): void {
    const { roles }: { roles: readonly Role[] } = this.#rule;
    if (this.#deploys || (role !== undefined && roles.includes(role))) return;
    const named = this.#principal.identity?.role ?? role ?? grantOnly;
    throw new ApiError('forbidden', `The role ${named} can't do this; it requires ${roles.join(' or ')}.`);
  }

  get #live() {
    return liveGrants(this.#member, Date.now());
  }

  /** Whether the role in the organization suffices; otherwise, the projects that the caller may be an admin of. */
  managed(): 'all' | NonNullable<MemberRecord['projectRoles']> {
    this.#managementAsked = true;
    const { role, projectRoles = [] } = this.#member;
    const { roles }: { roles: readonly Role[] } = this.#rule;
    return roles.includes(role) ? 'all' : projectRoles.filter(listed => listed.role === 'admin');
  }

  /**
   * What the caller may do in a further project that the request names. Renewed with this one, and the grants that its
   * checks depended on count as used by the request.
   * @throws as requireRole does for that project
   */
  inProject(slug: string): MemberAccess {
    const known = slug === this.#projectSlug ? this : this.#others.get(slug);
    if (known !== undefined) return known;
    const route = { rule: this.#rule, projectSlug: slug, usedGrants: this.#usedGrants };
    const other = new MemberAccess(this.organization, this.#member, this.#principal, route);
    other.requireRole();
    this.#others.set(slug, other);
    return other;
  }

  /** Adopts the current role and scope of a re-authorized caller, and repeats the checks. @throws as they do */
  renew(current: MemberAccess): void {
    const managed = this.#managementAsked ? JSON.stringify(this.managed()) : undefined;
    this.#member = current.#member;
    this.#principal = current.#principal;
    for (const other of this.#others.values()) other.renew(current);
    if (managed !== undefined && JSON.stringify(this.managed()) !== managed) {
      throw new ApiError('forbidden', 'Your rights have just changed. Send the request again.');
    }
    this.requireStill();
  }

  /** Repeats the checks, because a grant may have ended since. @throws as they do */
  requireStill(): void {
    this.#requireValuesIfNeeded();
    if (this.#projectId !== undefined) this.#requireRoleIn(this.#projectId);
    for (const { environment, action } of this.#environments.values()) this.#requireRight(environment, action);
    for (const other of this.#others.values()) other.requireStill();
  }

  /** Whether the project exists for the member and is in the token's scope. Lists show only such projects. */
  seesProject({ id, organizationId }: Pick<Project, 'id' | 'organizationId'>): boolean {
    const isInScope = organizationId === this.organization.id && coversProject(scopeOf(this.#principal), id);
    return isInScope && this.#rightsIn(id) !== undefined;
  }

  /** Whether an environment exists for the member and is in the token's scope. Lists show only such environments. */
  seesEnvironment({ id, projectId }: Pick<Environment, 'id' | 'projectId'>): boolean {
    if (!coversEnvironment(scopeOf(this.#principal), id)) return false;
    const rights = this.#rightsIn(projectId);
    return rights?.role !== undefined || rights?.grants.some(grant => grant.environmentId === id) === true;
  }

  /** Whether only grants let the caller into the project, so that responses must not name its other environments. */
  isGuestIn(projectId: string): boolean {
    return this.#rightsIn(projectId)?.role === undefined;
  }

  /** Whether the caller's role or a grant allows reading or writing secrets in this environment. */
  roleMay(action: 'read' | 'write', { id, type, projectId }: Pick<Environment, 'id' | 'type' | 'projectId'>): boolean {
    if (this.#deploys && namesEnvironment(scopeOf(this.#principal), id)) return true;
    const { role, grants = [] } = this.#rightsIn(projectId) ?? {};
    if (role !== undefined && roleMay(action, role, type)) return true;
    return this.#use(grants.filter(grant => grant.environmentId === id && grant.access === action));
  }

  /** Whether responses may show values at all, or whether two are equal, or how long one is. */
  get seesValues(): boolean {
    const { credential } = this.#principal;
    return credential.method === 'session' || credential.token.access !== namesOnly;
  }

  /** Whether the caller may know the values of this environment. Without it, nothing may depend on one. */
  knowsValues(environment: Pick<Environment, 'id' | 'type' | 'projectId'>): boolean {
    return this.seesValues && this.roleMay('read', environment);
  }

  /**
   * For operations that tokens for names only may call by content.
   * @param isNeeded whether the response or the change depends on values that the caller chooses or could learn
   * @throws insufficient_scope
   */
  requireValues(isNeeded: boolean): void {
    this.#needsValues = isNeeded || this.#needsValues === true;
    this.#requireValuesIfNeeded();
  }

  #requireValuesIfNeeded(): void {
    if (this.#needsValues !== true || this.seesValues) return;
    throw new ApiError(
      'insufficient_scope',
      'The token is for names only: it gets no values, and it changes secrets only by having values generated, or by ' +
        'proposing to copy, restore, generate or delete them.',
    );
  }

  /** Records the grants without which a check would fail. @returns whether there are any */
  #use(granting: readonly { id: string; environmentId: string }[]): boolean {
    for (const { id, environmentId } of granting) this.#usedGrants.set(id, environmentId);
    return granting.length > 0;
  }

  /** The ids of the grants without which the caller could not have done this there, for the audit log. */
  grantsUsedIn(...environmentIds: (string | undefined)[]): string[] | undefined {
    const used = [...this.#usedGrants].filter(([, environmentId]) => environmentIds.includes(environmentId));
    return used.length === 0 ? undefined : used.map(([id]) => id);
  }

  /**
   * @throws project_not_found if it is missing, being deleted, not there for the caller, or not the project that the
   * slug named when the request started: a long request must not reach a new project under the same slug; forbidden by
   * role
   */
  requireProject<P extends Project>(project: P | undefined): P {
    const isOther = this.#projectId !== undefined && project?.id !== this.#projectId;
    if (project === undefined || project.status !== 'active' || isOther || !this.seesProject(project)) {
      throw projectNotFound();
    }
    this.#requireRoleIn(project.id);
    this.#projectId = project.id;
    return project;
  }

  #requireRoleIn(projectId: string): void {
    const rights = this.#rightsIn(projectId);
    if (rights === undefined) throw projectNotFound();
    if (this.#rule.granted === true && rights.grants.length > 0) return;
    this.#requireAmong(rights.role);
  }

  /**
   * @param action what the member's role must allow there; `see` checks only the token's scope
   * @throws environment_not_found if it is missing, being deleted, out of the token's scope, in a different project
   * from the one required before, or not the environment that its slug named when the request started; forbidden by
   * role
   */
  requireEnvironment<E extends Environment>(environment: E | undefined, action: Action): E {
    this.#environmentAsked = true;
    if (environment !== undefined && !this.seesProject({ ...environment, id: environment.projectId })) {
      throw projectNotFound();
    }
    const isOther =
      (this.#projectId !== undefined && environment?.projectId !== this.#projectId) ||
      (environment !== undefined &&
        (this.#environments.get(environment.slug)?.environment.id ?? environment.id) !== environment.id);
    if (environment === undefined || environment.status !== 'active' || isOther || !this.seesEnvironment(environment)) {
      throw environmentNotFound();
    }
    this.#environments.set(environment.slug, { environment, action });
    this.#requireRight(environment, action);
    return environment;
  }

  #requireRight(environment: Environment, action: Action): void {
    this.#requireRoleIn(environment.projectId);
    if (!this.seesEnvironment(environment)) throw environmentNotFound();
    const { role: ownRole, grants = [] } = this.#rightsIn(environment.projectId) ?? {};
    if (action === 'see') {
      if (ownRole === undefined) this.#use(grants.filter(({ environmentId }) => environmentId === environment.id));
      return;
    }
    if (this.roleMay(action, environment)) return;
    const role = this.#principal.identity?.role ?? ownRole ?? grantOnly;
    throw new ApiError('forbidden', `The role ${role} may not ${action} secrets of ${environment.type} environments.`);
  }

  /** Whether the handler asked about everything that the path names. Asking about an environment covers its project. */
  answered(asked: { project: boolean; environment: boolean }): boolean {
    if (this.#rule.projectAdmins === true && !this.#managementAsked) return false;
    if (this.#rule.names === 'by-content' && this.#needsValues === undefined) return false;
    return this.#environmentAsked || (!asked.environment && (!asked.project || this.#projectId !== undefined));
  }
}
