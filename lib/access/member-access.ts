import { roleMay } from '../contracts/fields/role.ts';
import { ApiError, environmentNotFound, projectNotFound } from '../core/errors.ts';
import type { EnvironmentState } from '../table/records/environment.ts';
import type { MemberRecord, OrganizationRecord } from '../table/records/organization.ts';
import type { ProjectRecord } from '../table/records/project.ts';
import type { Principal } from './principal.ts';

type Project = Pick<ProjectRecord, 'id' | 'organizationId' | 'status'>;
type Environment = Pick<EnvironmentState, 'id' | 'slug' | 'projectId' | 'organizationId' | 'type' | 'status'>;

/**
 * What a caller may do in an organization: the member's role ∩ the token's scope. A deployer is a viewer, and may also
 * read and write in its environment if the operation admits deployers. Records the checks, so that the chain can reject
 * the response of a handler that forgot one.
 */
export class MemberAccess {
  readonly organization: OrganizationRecord;
  #principal: Principal;
  #member: MemberRecord;
  readonly #admitsDeployers: boolean;
  #projectId: string | undefined;
  /** The ids of the environments asked about, by slug. */
  readonly #environmentIds = new Map<string, string>();
  #environmentAsked = false;

  constructor(organization: OrganizationRecord, member: MemberRecord, principal: Principal, deployers = false) {
    this.organization = organization;
    this.#member = member;
    this.#principal = principal;
    this.#admitsDeployers = deployers;
  }

  get principal(): Principal {
    return this.#principal;
  }

  get member(): MemberRecord {
    return this.#member;
  }

  get role(): string {
    return this.#principal.identity?.role ?? this.#member.role;
  }

  /** Whether the operation admits deployers and the caller is one. */
  get deploys(): boolean {
    return this.#admitsDeployers && this.role === 'deployer';
  }

  /** Adopts the current role and scope of a re-authorized caller. */
  renew({ member, principal }: Pick<MemberAccess, 'member' | 'principal'>): void {
    this.#member = member;
    this.#principal = principal;
  }

  /** Whether the project belongs to the organization and is in the token's scope. Lists show only such projects. */
  seesProject({ id, organizationId }: Pick<Project, 'id' | 'organizationId'>): boolean {
    const projectId = this.#token()?.projectId ?? null;
    return organizationId === this.organization.id && (projectId === null || projectId === id);
  }

  /** Whether an environment in a visible project is in the token's scope. Lists show only such environments. */
  seesEnvironment({ id }: { id: string }): boolean {
    const environmentId = this.#token()?.environmentId ?? null;
    return environmentId === null || environmentId === id;
  }

  /** Whether the caller's role allows reading or writing secrets in this environment. */
  roleMay(action: 'read' | 'write', { id, type }: Pick<Environment, 'id' | 'type'>): boolean {
    return (this.deploys && this.#token()?.environmentId === id) || roleMay(action, this.member.role, type);
  }

  /**
   * @throws project_not_found if it is missing, being deleted, out of the token's scope, or not the project that the
   * slug named when the request started: a long request must not reach a new project under the same slug
   */
  requireProject<P extends Project>(project: P | undefined): P {
    const isOther = this.#projectId !== undefined && project?.id !== this.#projectId;
    if (project === undefined || project.status !== 'active' || isOther || !this.seesProject(project)) {
      throw projectNotFound();
    }
    this.#projectId = project.id;
    return project;
  }

  /**
   * @param action what the member's role must allow there; `see` checks only the token's scope
   * @throws environment_not_found if it is missing, being deleted, out of the token's scope, in a different project
   * from the one required before, or not the environment that its slug named when the request started; forbidden by
   * role
   */
  requireEnvironment<E extends Environment>(environment: E | undefined, action: 'read' | 'write' | 'see'): E {
    this.#environmentAsked = true;
    if (environment !== undefined && !this.seesProject({ ...environment, id: environment.projectId })) {
      throw projectNotFound();
    }
    const isOther =
      (this.#projectId !== undefined && environment?.projectId !== this.#projectId) ||
      (environment !== undefined && (this.#environmentIds.get(environment.slug) ?? environment.id) !== environment.id);
    if (environment === undefined || environment.status !== 'active' || isOther || !this.seesEnvironment(environment)) {
      throw environmentNotFound();
    }
    this.#environmentIds.set(environment.slug, environment.id);
    if (action !== 'see' && !this.roleMay(action, environment)) {
      const message = `The role ${this.role} may not ${action} secrets of ${environment.type} environments.`;
      throw new ApiError('forbidden', message);
    }
    return environment;
  }

  /** Whether the handler asked about everything that the path names. Asking about an environment covers its project. */
  answered(asked: { project: boolean; environment: boolean }): boolean {
    return this.#environmentAsked || (!asked.environment && (!asked.project || this.#projectId !== undefined));
  }

  #token() {
    const { credential } = this.#principal;
    return credential.method === 'token' ? credential.token : undefined;
  }
}
