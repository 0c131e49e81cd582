import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { loadFromFunctions } from '#infra/local/lambda/invoke.ts';
import { Job } from '#lib/core/job.ts';
import { codeOf, startApi, useApi } from '../support/api.ts';
import { createWhenFree } from '../support/create-when-free.ts';
import { eventually } from '../support/eventually.ts';
import { type Conductor, conduct } from '../support/observe-calls.ts';
import { type Person, seedPerson } from '../support/people.ts';

/* No faults: two concurrent deletions start two erasures. The second must not touch what was recreated meanwhile. */

const rounds = Number(process.env.ROUNDS ?? 1);
const atOnce = 6;

/** Steps of erasure that are queued or running, by the id of what they erase. */
const open = new Map<string, number>();
const idOf = (job: Job) =>
  job.type === 'erase-project' ? job.projectId : 'organizationId' in job && job.organizationId;

function count(body: string, by: number): void {
  const id = idOf(Job.parse(JSON.parse(body)));
  if (id !== false) open.set(id, (open.get(id) ?? 0) + by);
}

const countingSteps: Conductor = {
  call: (call, send) => {
    // The last step of an organization's erasure is queued for a minute later, and only checks its audit log.
    if (call.service === 'SQS' && !(call.input.DelaySeconds >= 60)) count(call.input.MessageBody, 1);
    return send();
  },
};

const api = useApi(() =>
  startApi({ LOG_LEVEL: 'SILENT' }, async name => {
    const handler = await loadFromFunctions(name);
    if (name.name !== 'run-jobs') return (event, context) => conduct(countingSteps, () => handler(event, context));
    return async (event, context) => {
      const answer = await conduct(countingSteps, () => handler(event, context));
      const { batchItemFailures } = answer as { batchItemFailures: unknown[] };
      const [record] = (event as { Records: { body: string }[] }).Records;
      if (batchItemFailures.length === 0) count(record?.body ?? '', -1);
      return answer;
    };
  }),
);

const createAtOnce = (path: string, body: { name: string; slug: string }, { session }: Person) =>
  createWhenFree(api, path, body, session, 2);

async function outcomeOf(orgSlug: string, project: string, { session }: Person, erasedId: string): Promise<string> {
  const path = `/secrets/${orgSlug}/${project}/dev`;
  const set = await api.put(path, { key: 'A', value: 'new' }, session);
  await eventually(() => expect(open.get(erasedId)).toBe(0));
  const pulled = await api.get(path, session);
  const isKept = set.status === 201 && pulled.body.secrets?.[0]?.value === 'new';
  return isKept ? 'kept' : `${set.status}, ${codeOf(pulled)}`;
}

async function outcomes(trial: (slug: string) => Promise<string>): Promise<string[]> {
  const all: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const names = Array.from({ length: atOnce }, () => `again-${randomUUID().slice(0, 13)}`);
    all.push(...(await Promise.all(names.map(trial))));
  }
  expect(all).toHaveLength(rounds * atOnce);
  return all.filter(outcome => outcome !== 'kept');
}

const timeout = 60_000 + rounds * 30_000;

describe('a resource that is deleted twice and immediately created again', () => {
  it('is kept if it is a project', { timeout }, async () => {
    const owner = await seedPerson();
    const { id, slug: orgSlug } = owner.organization;

    const lost = await outcomes(async slug => {
      const create = () => createAtOnce(`/projects/${id}`, { name: slug, slug }, owner);
      const created = await create();
      await api.put(`/secrets/${orgSlug}/${slug}/dev`, { key: 'A', value: 'old' }, owner.session);
      await Promise.all([1, 2].map(() => api.delete(`/projects/${id}/${slug}`, owner.session)));
      await create();
      const outcome = await outcomeOf(orgSlug, slug, owner, created.project.id);
      await api.delete(`/projects/${id}/${slug}`, owner.session);
      return outcome;
    });

    expect(lost).toEqual([]);
  });

  it('is kept if it is an organization that another user registers', { timeout }, async () => {
    const lost = await outcomes(async slug => {
      const [owner, other] = await Promise.all([seedPerson(), seedPerson()]);
      const createBy = async (person: Person) => {
        const { organization } = await createAtOnce('/orgs', { name: slug, slug }, person);
        await createAtOnce(`/projects/${organization.id}`, { name: 'Shop', slug: 'shop' }, person);
        return organization;
      };
      const { id } = await createBy(owner);
      await Promise.all([1, 2].map(() => api.delete(`/orgs/${id}`, owner.session)));
      await createBy(other);
      return outcomeOf(slug, 'shop', other, id);
    });

    expect(lost).toEqual([]);
  });
});
