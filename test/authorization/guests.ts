import { randomUUID } from 'node:crypto';
import type { StoredGrant } from '#lib/table/records/organization.ts';
import type { Api } from '../support/api.ts';
import { expectStatus } from '../support/sample-requests.ts';
import { guests } from './rights.ts';
import { type Headers, rememberTable, seedMember, seedUser, type World } from './world.ts';

/**
 * The same world with the members who have a grant, and secrets in the other project too. At the given time, some grants
 * have a millisecond left and the others have just ended.
 */
export async function addGuests(api: Api, { own, ...world }: World, nowMs: number): Promise<World> {
  const { organization, project, otherProject } = own;
  const callers: Record<string, Headers> = { ...world.callers };
  const owner = { headers: { ...callers['owner: session'] } };
  for (const env of ['dev', 'staging', 'production']) {
    const path = `/secrets/${organization.slug}/${otherProject.slug}/${env}`;
    await expectStatus(api.call('PUT', path, { body: { key: 'KEY', value: `${env} value` }, ...owner }), 201);
  }
  const template = `/templates/${organization.slug}/${otherProject.slug}`;
  await expectStatus(api.call('POST', template, { body: { key: 'KEY' }, ...owner }), 201);
  for (const [name, { role, limited, inProject, grant }] of Object.entries(guests)) {
    const { user, session } = await seedUser(name.replaceAll(/\W+/g, '-'), false);
    const environment = project.environments.find(({ slug }) => slug === grant.env);
    const stored: StoredGrant = {
      id: randomUUID(),
      projectId: project.id,
      project: project.slug,
      environmentId: environment?.id as string,
      environment: grant.env,
      access: grant.access,
      reason: 'An incident',
      createdAt: new Date(nowMs - 60_000).toISOString(),
      expiresAt: new Date(grant.state === 'running' ? nowMs + 1 : nowMs).toISOString(),
      createdBy: { id: randomUUID(), email: 'owner@example.com' },
    };
    const projectRoles =
      inProject === undefined ? undefined : [{ projectId: project.id, slug: project.slug, role: inProject }];
    await seedMember(organization, user, role, { limited, projectRoles, grants: [stored] });
    callers[`${name}: session`] = session;
  }
  return { ...world, own, callers, restore: await rememberTable() };
}
