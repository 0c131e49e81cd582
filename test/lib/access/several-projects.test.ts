import { describe, expect, it } from 'vitest';
import { MemberAccess } from '#lib/access/member-access.ts';
import type { Principal } from '#lib/access/principal.ts';
import { pullSecrets } from '#lib/contracts/secrets/secrets.ts';
import type { MemberRecord, OrganizationRecord } from '#lib/table/records/organization.ts';

const organization = { id: 'organization' } as OrganizationRecord;
const session = { userId: 'ada', credential: { method: 'session' } } as Principal;
const rule = pullSecrets.access;

const accessOf = (member: Partial<MemberRecord>, principal = session) =>
  new MemberAccess(organization, { id: 'ada', role: 'developer', ...member } as MemberRecord, principal, {
    rule,
    projectSlug: 'shop',
  });

const environment = (projectId: string, type: 'development' | 'production' = 'development', slug = 'dev') => ({
  id: `${projectId} ${slug}`,
  slug,
  projectId,
  organizationId: organization.id,
  type,
  status: 'active' as const,
});

const codeOf = (work: () => unknown) => {
  try {
    work();
    return 'ok';
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe('access in further projects of a request', () => {
  it('is that of the path in its own project, and another in each other one, where slugs may be the same', () => {
    const access = accessOf({});
    expect(access.inProject('shop')).toBe(access);
    expect(access.inProject('shared')).toBe(access.inProject('shared'));
    access.requireEnvironment(environment('shop'), 'read');
    expect(codeOf(() => access.requireEnvironment(environment('shared'), 'read'))).toBe('environment_not_found');
    expect(codeOf(() => access.inProject('shared').requireEnvironment(environment('shared'), 'read'))).toBe('ok');
    const production = environment('base', 'production');
    expect(codeOf(() => access.inProject('base').requireEnvironment(production, 'read'))).toBe('forbidden');
  });

  it('is refused before any read to members for whom the project does not exist', () => {
    const limited = { limited: true, projectRoles: [{ projectId: 'shop', slug: 'shop', role: 'viewer' as const }] };
    expect(codeOf(() => accessOf(limited).inProject('shared'))).toBe('project_not_found');
    expect(codeOf(() => accessOf(limited).inProject('shop'))).toBe('ok');
  });

  it('is asked for again, with the rights that the caller has after a wait', () => {
    const roles = (role: 'developer' | 'viewer') => ({ projectRoles: [{ projectId: 'base', slug: 'base', role }] });
    const staging = { ...environment('base'), type: 'staging' as const };
    const access = accessOf(roles('developer'));
    access.requireEnvironment(environment('shop'), 'read');
    access.inProject('base').requireEnvironment(staging, 'read');
    expect(codeOf(() => access.renew(accessOf(roles('developer'))))).toBe('ok');
    expect(codeOf(() => access.renew(accessOf(roles('viewer'))))).toBe('forbidden');
    expect(codeOf(() => access.renew(accessOf({ limited: true, ...roles('developer') })))).toBe('project_not_found');
  });

  it('records the grants that any of it depended on, each with its environment', () => {
    const production = environment('base', 'production');
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const place = { projectId: 'base', project: 'base', environmentId: production.id, environment: 'production' };
    const grant = { id: 'grant', ...place, access: 'read' as const, expiresAt };
    const access = accessOf({ grants: [grant] } as unknown as Partial<MemberRecord>);
    access.requireEnvironment(environment('shop'), 'read');
    access.inProject('base').requireEnvironment(production, 'read');
    expect(access.grantsUsedIn(production.id)).toEqual(['grant']);
    expect(access.grantsUsedIn(environment('shop').id)).toBeUndefined();
  });

  it('of an identity with several environments is that of these environments', () => {
    const environments = [
      { id: 'shop dev', projectId: 'shop' },
      { id: 'base dev', projectId: 'base' },
    ];
    const token = { access: 'write', projectId: null, environmentId: null };
    const identity = { name: 'deploy', role: 'deployer' as const, environments };
    const principal = { userId: 'id', credential: { method: 'token', token }, identity } as unknown as Principal;
    const access = accessOf({ role: 'viewer' }, principal);
    const production = { ...environment('base', 'production'), id: 'base dev' };
    expect(codeOf(() => access.requireEnvironment(environment('shop', 'production'), 'read'))).toBe('ok');
    expect(codeOf(() => access.inProject('base').requireEnvironment(production, 'read'))).toBe('ok');
    const others = [environment('base', 'development', 'staging'), environment('third')];
    const codes = others.map(one => codeOf(() => access.inProject(one.projectId).requireEnvironment(one, 'read')));
    expect(codes).toEqual(['environment_not_found', 'project_not_found']);
  });
});
