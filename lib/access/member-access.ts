import type { Role } from '../contracts/fields/role.ts';
import { ApiError, environmentNotFound, projectNotFound } from '../core/errors.ts';
import type { MemberRecord } from '../table/records/organization.ts';
import { CallerRights, type Environment, type Project } from './caller-rights.ts';

type Action = 'read' | 'write' | 'see';

/** What errors call a member whom only a grant lets in. */
const grantOnly = 'of a guest';

/**
 * What a caller may do in an organization. Records the checks, so that the chain can reject the response of a handler
 * that forgot one, and repeats them after each wait.
 */
export class MemberAccess extends CallerRights {
  #projectId: string | undefined;
  /** The environments asked about, by slug, and for what. */
  readonly #environments = new Map<string, { environment: Environment; action: Action }>();
  /** What the caller may do in further projects of the request, by slug. */
  readonly #others = new Map<string, MemberAccess>();
  #environmentAsked = false;
  #managementAsked = false;
  /** Whether the request needs values; undefined until the handler has said so. */
  #needsValues: boolean | undefined;

  /** The role in the project that has been required. Whom only a grant lets in counts as a viewer. */
  get projectRole(): Role {
    const rights = this.#projectId === undefined ? undefined : this.rightsIn(this.#projectId);
    if (rights === undefined) throw new Error('The handler asked for a role before it required the project.');
    return rights.role ?? 'viewer';
  }

  /** The role to name in messages: of the identity, in the required project, or in the organization. */
  get role(): string {
    const inProject = this.#projectId === undefined ? undefined : this.rightsIn(this.#projectId)?.role;
    return this.currentPrincipal.identity?.role ?? inProject ?? this.currentMember.role;
  }

  /**
   * Checks the role as far as that needs no read. In a project for which the member has a role or a grant,
   * `requireProject` checks it. For a limited member, other projects are missing before anything read about them can
   * matter, so that the response takes as long for one that exists.
   * @throws forbidden, project_not_found
   */
  requireRole(): void {
    const { role, limited, projectRoles = [] } = this.currentMember;
    const { limitedMembers, leaves, projectAdmins } = this.rule;
    if (this.projectSlug !== undefined) {
      const named = [...projectRoles.map(({ slug }) => slug), ...this.live.map(({ project }) => project)];
      if (named.includes(this.projectSlug)) return;
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
    const { roles }: { roles: readonly Role[] } = this.rule;
    if (this.deploys || (role !== undefined && roles.includes(role))) return;
    const named = this.currentPrincipal.identity?.role ?? role ?? grantOnly;
    throw new ApiError('forbidden', `The role ${named} can't do this; it requires ${roles.join(' or ')}.`);
  }

  /** Whether the role in the organization suffices; otherwise, the projects that the caller may be an admin of. */
  managed(): 'all' | NonNullable<MemberRecord['projectRoles']> {
    this.#managementAsked = true;
    const { role, projectRoles = [] } = this.currentMember;
    const { roles }: { roles: readonly Role[] } = this.rule;
    return roles.includes(role) ? 'all' : projectRoles.filter(listed => listed.role === 'admin');
  }

  /**
   * What the caller may do in a further project that the request names. Renewed with this one, and the grants that its
   * checks depended on count as used by the request.
   * @throws as requireRole does for that project
   */
  inProject(slug: string): MemberAccess {
    const known = slug === this.projectSlug ? this : this.#others.get(slug);
    if (known !== undefined) return known;
    const route = { rule: this.rule, projectSlug: slug, usedGrants: this.usedGrants };
    const other = new MemberAccess(this.organization, this.currentMember, this.currentPrincipal, route);
    other.requireRole();
    this.#others.set(slug, other);
    return other;
  }

  /** Adopts the current role and scope of a re-authorized caller, and repeats the checks. @throws as they do */
  renew(current: MemberAccess): void {
    const managed = this.#managementAsked ? JSON.stringify(this.managed()) : undefined;
    this.currentMember = current.currentMember;
    this.currentPrincipal = current.currentPrincipal;
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
      'This is for names only: it gets no values, and it changes secrets only by having values generated, or by ' +
        'proposing to copy, restore, generate or delete them.',
    );
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
    const rights = this.rightsIn(projectId);
    if (rights === undefined) throw projectNotFound();
    if (this.rule.granted === true && rights.grants.length > 0) return;
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
    const { role: ownRole, grants = [] } = this.rightsIn(environment.projectId) ?? {};
    if (action === 'see') {
      if (ownRole === undefined) this.use(grants.filter(({ environmentId }) => environmentId === environment.id));
      return;
    }
    if (this.roleMay(action, environment)) return;
    const role = this.currentPrincipal.identity?.role ?? ownRole ?? grantOnly;
    throw new ApiError('forbidden', `The role ${role} may not ${action} secrets of ${environment.type} environments.`);
  }

  /** Whether the handler asked about everything that the path names. Asking about an environment covers its project. */
  answered(asked: { project: boolean; environment: boolean }): boolean {
    if (this.rule.projectAdmins === true && !this.#managementAsked) return false;
    if (this.rule.names === 'by-content' && this.#needsValues === undefined) return false;
    return this.#environmentAsked || (!asked.environment && (!asked.project || this.#projectId !== undefined));
  }
}
