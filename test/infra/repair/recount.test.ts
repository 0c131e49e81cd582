import { describe, expect, it, vi } from 'vitest';
import { costOfScan, findChangedOrganizations } from '#infra/repair/changed-organizations.ts';
import { recountOrganization } from '#infra/repair/recount.ts';
import { recountPlatform } from '#infra/repair/recount-platform.ts';
import { at, find } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';
import { countPlatform } from '#lib/table/records/platform.ts';
import { projectRecord } from '#lib/table/records/project.ts';
import { transact, update } from '#lib/table/write.ts';
import { createProject, useApi } from '#test/support/api.ts';
import { shared } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';
import { runCommand } from '#test/support/run-command.ts';

const api = useApi();
const owner = shared(seedPerson);

interface Busy {
  id: string;
  slug: string;
  project: string;
}

async function busyOrganization(): Promise<Busy> {
  const { body } = await api.post('/orgs', { name: 'Busy' }, owner.session);
  const organization = body.organization;
  const person = { ...owner, organization };
  const [project, gone] = [await createProject(api, person), await createProject(api, person, 'Gone')];
  const secrets = `/secrets/${organization.slug}/${project.slug}/dev`;
  const { session } = owner;
  const hook = { url: 'https://example.com/hook', events: ['secret.created'] };
  const done = [
    await api.post(`${secrets}/bulk`, { secrets: { A: '1', B: '2', C: '3' } }, session),
    await api.delete(`${secrets}/B`, session),
    await api.post(`/projects/${organization.id}/${project.slug}/environments`, { name: 'Preview' }, session),
    await api.delete(`/projects/${organization.id}/${gone.slug}`, session),
    await api.post(`/members/${organization.id}/invite`, { email: 'a@example.com', role: 'viewer' }, session),
    await api.post(`/webhooks/${organization.id}`, hook, session),
  ];
  expect(done.map(({ status }) => status)).toEqual([200, 200, 201, 200, 201, 201]);
  return { ...organization, project: project.slug };
}

describe('recounting an organization', () => {
  it('finds no drift after creations, deletions and invitations', async () => {
    const { id, slug } = await busyOrganization();

    expect(await recountOrganization(slug, { fix: false })).toEqual({ drifts: [], unfixed: [] });
    const { body } = await api.get(`/billing/${id}`, owner.session);
    const usage = { projects: 1, members: 1, invitations: 1, webhooks: 1, environments: 4, secrets: 2 };
    expect(body.usage).toEqual(usage);
  });

  it('reports every counter that differs, and changes nothing unless told to', async () => {
    const { slug, project } = await busyOrganization();
    await disturb(slug, project);

    const seen = await recountOrganization(slug, { fix: false });
    const fixed = await recountOrganization(slug, { fix: true });

    expect(seen?.drifts).toEqual([
      { counter: 'projectCount', recorded: 6, counted: 1 },
      { counter: 'ownerCount', recorded: 0, counted: 1 },
      { counter: `project ${project}: environmentCount`, recorded: 2, counted: 4 },
      { counter: `environment ${project}/dev: secretCount`, recorded: 12, counted: 2 },
    ]);
    expect(fixed).toEqual({ drifts: seen?.drifts, unfixed: [] });
    expect(await recountOrganization(slug, { fix: false })).toEqual({ drifts: [], unfixed: [] });
    expect(await find(at(organizationRecord, slug))).toMatchObject({ projectCount: 1, ownerCount: 1 });
  });

  it('finds no drift in an organization that is growing concurrently', async () => {
    const { id, slug } = await busyOrganization();

    const [recount] = await Promise.all([
      recountOrganization(slug, { fix: true }),
      ...Array.from({ length: 6 }, (_, index) => api.post(`/projects/${id}`, { name: `New ${index}` }, owner.session)),
    ]);

    expect(recount?.unfixed).toEqual([]);
    expect(await recountOrganization(slug, { fix: false })).toEqual({ drifts: [], unfixed: [] });
    expect((await find(at(organizationRecord, slug)))?.projectCount).toBe(7);
  });

  it('reports an unknown organization', async () => {
    expect(await recountOrganization('no-such-organization', { fix: true })).toBeUndefined();
  });

  it('is a command that reports, repairs, and returns in its exit code whether there was drift', async () => {
    const { slug, project } = await busyOrganization();
    await disturb(slug, project);

    const seen = await recountCommand(slug);
    const fixed = await recountCommand(slug, '--fix');
    const after = await recountCommand(slug);

    expect(seen).toMatchObject({ code: 2 });
    expect(seen.output).toContain(`${slug}: projectCount is 6, but the actual count is 1\n`);
    expect(fixed.output).toContain(`${slug}: projectCount is 6, but the actual count is 1; fixed\n`);
    expect(after).toEqual({ code: 0, output: '1 organization recounted, no drift.\n' });
    expect(await recountCommand('no-such-organization')).toMatchObject({ code: 1 });
  });

  it('continues a stopped run from an organization on, without the platform’s counters', async () => {
    const organizations = [await busyOrganization(), await busyOrganization()];
    const [first, second] = organizations.sort((a, b) => (a.slug < b.slug ? -1 : 1)) as [Busy, Busy];
    await Promise.all([disturb(first.slug, first.project), disturb(second.slug, second.project)]);
    await transact([countPlatform({ organizations: 1 })]);

    const all = await recountCommand();
    const rest = await recountCommand('--from', second.slug);
    await transact([countPlatform({ organizations: -1 })]);

    for (const one of [first, second]) expect(all.output).toContain(`${one.slug}: projectCount is 6`);
    expect(all.output).toContain('platform: organizations is ');
    expect(rest).toMatchObject({ code: 2 });
    expect(rest.output).toContain(`${second.slug}: projectCount is 6`);
    expect(rest.output).not.toContain(`${first.slug}: `);
    expect(rest.output).not.toContain('platform: ');
    expect(await recountCommand('--from', second.slug, first.slug)).toMatchObject({ code: 1 });
    const none = await recountCommand('--from', 'zzzz');
    expect(none).toEqual({ code: 0, output: '0 organizations recounted, no drift.\n' });
    await Promise.all([recountCommand(first.slug, '--fix'), recountCommand(second.slug, '--fix')]);
  });
});

it('recounting the platform counts organizations and projects as they are created and deleted', async () => {
  await busyOrganization();

  expect(await recountPlatform({ fix: false })).toEqual({ drifts: [], unfixed: [] });
});

it('recounting the platform while organizations are created corrects nothing wrongly', async () => {
  const create = () => api.post('/orgs', { name: 'Busy' }, owner.session);
  await Promise.all([recountPlatform({ fix: true }), create(), create(), create()]);

  expect(await recountPlatform({ fix: false })).toEqual({ drifts: [], unfixed: [] });
});

describe('recounting what has changed since a moment', () => {
  it('finds the organizations with a change, not those that were only read, and says what it takes', async () => {
    const [idle, changed, deleting] = [await busyOrganization(), await busyOrganization(), await busyOrganization()];
    const webhook = (await api.get(`/webhooks/${deleting.id}`, owner.session)).body.webhooks[0].id;
    await laterMillisecond();
    const since = new Date();
    const secrets = `/secrets/${changed.slug}/${changed.project}/dev`;
    await disturb(changed.slug, changed.project);
    const done = [
      await api.put(secrets, { key: 'A', value: '2' }, owner.session),
      await api.get(`/secrets/${idle.slug}/${idle.project}/dev`, owner.session),
      await api.delete(`/webhooks/${deleting.id}/${webhook}`, owner.session),
    ];

    const { code, output } = await recountCommand('--changed-since', since.toISOString());

    expect(done.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await findChangedOrganizations(since)).toEqual([changed.slug, deleting.slug].sort());
    expect(code).toBe(2);
    expect(output).toContain(`${changed.slug}: projectCount is 6`);
    expect(output).toContain('2 organizations recounted, drift found.');
    await recountCommand(changed.slug, '--fix');
  });

  it('takes time by the size of the table and what it can serve, in an arithmetic of its own', () => {
    const tenGigabytes = 10 * 1024 ** 3;
    expect(costOfScan(tenGigabytes, 12_000, 0.125e-6)).toMatchObject({ readUnits: 1_310_720, seconds: 110 });
    expect(costOfScan(10 * tenGigabytes, 40_000, 0.125e-6)).toMatchObject({ readUnits: 13_107_200, seconds: 328 });
  });
});

/** Waits until the clock shows another millisecond, so that nothing before it has the same time. */
async function laterMillisecond(): Promise<void> {
  const now = Date.now();
  await vi.waitUntil(() => Date.now() > now, { interval: 1 });
}

async function disturb(slug: string, project: string): Promise<void> {
  await transact([
    update(at(organizationRecord, slug), { add: { projectCount: 5, ownerCount: -1 } }),
    update(at(projectRecord, slug, project), { add: { environmentCount: -2 } }),
    update(at(environmentStateRecord, { orgSlug: slug, project, env: 'dev' }), { add: { secretCount: 10 } }),
  ]);
}

async function recountCommand(...args: string[]) {
  const { PORT: _, ...env } = process.env;
  const { code, stdout: output } = await runCommand('recount', args, env);
  return { code, output };
}
