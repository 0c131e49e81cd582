import type { MemberRule } from '../contracts/contract.ts';
import { roleMay } from '../contracts/fields/role.ts';
import { liveGrants, rightsInProject } from '../contracts/fields/role-in-project.ts';
import type { EnvironmentState } from '../table/records/environment.ts';
import type { MemberRecord, OrganizationRecord } from '../table/records/organization.ts';
import type { ProjectRecord } from '../table/records/project.ts';
import { isNamesOnly, type Principal, scopeOf } from './principal.ts';
import { coversEnvironment, coversProject, namesEnvironment } from './token-scope.ts';

export type Project = Pick<ProjectRecord, 'id' | 'organizationId' | 'status'>;
export type Environment = Pick<EnvironmentState, 'id' | 'slug' | 'projectId' | 'organizationId' | 'type' | 'status'>;

/** Who the member is. What the member may do is asked of `MemberAccess`, because it may differ by project. */
type Identified = Omit<MemberRecord, 'role' | 'limited' | 'projectRoles' | 'grants'>;

/** What a request asks for, and the grants that its checks depended on so far. */
type Route = { rule: MemberRule; projectSlug?: string | undefined; usedGrants?: Map<string, string> };

/**
 * What a caller may do in an organization: the member's role, which may differ by project, and their grants, ∩ the
 * token's scope. A deployer is a viewer, and may also read and write in its environment if the operation admits
 * deployers. Whether a grant has ended is decided in each check.
 */
export class CallerRights {
  readonly organization: OrganizationRecord;
  protected readonly rule: MemberRule;
  /** Of the project in the path. */
  protected readonly projectSlug: string | undefined;
  protected currentPrincipal: Principal;
  protected currentMember: MemberRecord;
  /** The ids of the grants that a check depended on, with their environments. */
  protected readonly usedGrants: Map<string, string>;

  constructor(
    organization: OrganizationRecord,
    member: MemberRecord,
    principal: Principal,
    { rule, projectSlug, usedGrants = new Map<string, string>() }: Route,
  ) {
    this.organization = organization;
    this.currentMember = member;
    this.currentPrincipal = principal;
    this.rule = rule;
    this.projectSlug = projectSlug;
    this.usedGrants = usedGrants;
  }

  get principal(): Principal {
    return this.currentPrincipal;
  }

  get member(): Identified {
    return this.currentMember;
  }

  /** The membership itself, for `roleInProject` and to require in a commit that it has not changed. */
  get record(): MemberRecord {
    return this.currentMember;
  }

  get isOwner(): boolean {
    return this.currentMember.role === 'owner';
  }

  /** The membership, for routes that are not below a project. */
  get membership(): MemberRecord {
    if (this.projectSlug !== undefined) throw new Error('Below a project, the role in that project counts.');
    return this.currentMember;
  }

  /** Whether the operation admits deployers and the caller is one. */
  protected get deploys(): boolean {
    return this.rule.deployers === true && this.currentPrincipal.identity?.role === 'deployer';
  }

  protected rightsIn(projectId: string) {
    return rightsInProject(this.currentMember, projectId, Date.now());
  }

  protected get live() {
    return liveGrants(this.currentMember, Date.now());
  }

  /** Whether the project exists for the member and is in the token's scope. Lists show only such projects. */
  seesProject({ id, organizationId }: Pick<Project, 'id' | 'organizationId'>): boolean {
    const isInScope = organizationId === this.organization.id && coversProject(scopeOf(this.currentPrincipal), id);
    return isInScope && this.rightsIn(id) !== undefined;
  }

  /** Whether an environment exists for the member and is in the token's scope. Lists show only such environments. */
  seesEnvironment({ id, projectId }: Pick<Environment, 'id' | 'projectId'>): boolean {
    if (!coversEnvironment(scopeOf(this.currentPrincipal), id)) return false;
    const rights = this.rightsIn(projectId);
    return rights?.role !== undefined || rights?.grants.some(grant => grant.environmentId === id) === true;
  }

  /** Whether only grants let the caller into the project, so that responses must not name its other environments. */
  isGuestIn(projectId: string): boolean {
    return this.rightsIn(projectId)?.role === undefined;
  }

  /** Whether the caller's role or a grant allows reading or writing secrets in this environment. */
  roleMay(action: 'read' | 'write', { id, type, projectId }: Pick<Environment, 'id' | 'type' | 'projectId'>): boolean {
    if (this.deploys && namesEnvironment(scopeOf(this.currentPrincipal), id)) return true;
    const { role, grants = [] } = this.rightsIn(projectId) ?? {};
    if (role !== undefined && roleMay(action, role, type)) return true;
    return this.use(grants.filter(grant => grant.environmentId === id && grant.access === action));
  }

  /** Whether responses may show values at all, or whether two are equal, or how long one is. */
  get seesValues(): boolean {
    return !isNamesOnly(this.currentPrincipal);
  }

  /** Whether the caller may know the values of this environment. Without it, nothing may depend on one. */
  knowsValues(environment: Pick<Environment, 'id' | 'type' | 'projectId'>): boolean {
    return this.seesValues && this.roleMay('read', environment);
  }

  /** Records the grants without which a check would fail. @returns whether there are any */
  protected use(granting: readonly { id: string; environmentId: string }[]): boolean {
    for (const { id, environmentId } of granting) this.usedGrants.set(id, environmentId);
    return granting.length > 0;
  }

  /** The ids of the grants without which the caller could not have done this there, for the audit log. */
  grantsUsedIn(...environmentIds: (string | undefined)[]): string[] | undefined {
    const used = [...this.usedGrants].filter(([, environmentId]) => environmentIds.includes(environmentId));
    return used.length === 0 ? undefined : used.map(([id]) => id);
  }
}
