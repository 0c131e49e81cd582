import { describe, expect, it } from 'vitest';
import { Job } from '#lib/core/job.ts';
import { openLog } from '#lib/core/logger.ts';
import { reEncryptProject } from '#lib/projects/re-encrypt-project.ts';
import { ranges } from '#lib/table/keys.ts';
import { queryItems } from '#lib/table/read.ts';
import { headRecord, versionRecord } from '#lib/table/records/secret.ts';
import { openWorkplace, type Workplace } from '#test/support/environments.ts';
import { shared } from '#test/support/fixtures.ts';
import { injectFault } from '#test/support/inject-faults.ts';
import { scanTable, violationsOf } from '#test/support/invariants.ts';
import { numbered } from '#test/support/numbered.ts';
import { type AwsCall, type Conductor, conduct } from '#test/support/observe-calls.ts';
import { startObservedApi, withFault } from '#test/support/observed-api.ts';
import { seedOwner } from '#test/support/people.ts';

// Steps of a rotation, by hand: what they queue is intercepted, so that each can be killed and repeated.

type ReEncryptProject = Extract<Job, { type: 're-encrypt-project' }>;

let place: Workplace;
const api = shared(startObservedApi);
const owner = shared(seedOwner);

/** The starts of queued walks, each with its delay. */
const walks: { walk: number; delaySeconds: number }[] = [];

/** Intercepts what would be queued, unless the process that queues it is dead. */
function catching(queue: ReEncryptProject[], { attempt, hit }: Conductor & { hit?: () => boolean } = {}): Conductor {
  return {
    ...(attempt === undefined ? {} : { attempt }),
    call: async ({ operation, input }: AwsCall, send) => {
      if (operation !== 'SendMessage') return send();
      if (hit?.()) throw new Error('The process is dead.');
      const job = Job.parse(JSON.parse(input.MessageBody));
      if (job.type === 're-encrypt-project') queue.push(job);
      const cursor = job.type === 're-encrypt-project' ? job.cursor : undefined;
      if (cursor?.env === undefined) walks.push({ walk: Number(cursor?.walk), delaySeconds: input.DelaySeconds });
      return { output: {}, response: {} };
    },
  };
}

async function beginRotation(): Promise<ReEncryptProject[]> {
  const queue: ReEncryptProject[] = [];
  const path = `/projects/${owner.organization.id}/${place.project.slug}/rotate-key`;
  const answer = await withFault({ conductor: catching(queue) }, headers =>
    api.post(path, undefined, owner.session, headers),
  );
  expect([answer.status, queue.length]).toEqual([202, 1]);
  return queue;
}

const log = () => openLog({});
const rotation = async () =>
  (await api.get(`/projects/${owner.organization.id}/${place.project.slug}`, owner.session)).body.project.rotation;

async function keyVersions(): Promise<Set<unknown>> {
  const partitions = ['dev', 'staging', 'production'].map(env =>
    queryItems(ranges.environmentItems({ orgSlug: owner.organization.slug, project: place.project.slug, env })),
  );
  const items = (await Promise.all(partitions)).flat();
  const kinds: string[] = [headRecord.kind, versionRecord.kind];
  return new Set(items.filter(({ kind }) => kinds.includes(String(kind))).map(({ keyVersion }) => keyVersion));
}

const many = (count: number) => numbered(count, i => `value ${i}`);

describe('a step of re-encryption', () => {
  it('that dies after any of its calls is repeated, loses nothing and counts nothing twice', async () => {
    place = await openWorkplace(api, owner);
    await place.importAll('dev', many(5));
    await place.set('dev', 'K1', 'again');
    await place.importAll('staging', many(3));
    const queue = await beginRotation();
    const seen = new Set<string>();
    let deaths = 0;
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      if (seen.has(JSON.stringify(job))) continue;
      seen.add(JSON.stringify(job));
      const step = job;
      for (let position = 1, reached = true; reached; position += 1) {
        const fault = injectFault('dies-after', position);
        await conduct(catching(queue, fault), () => reEncryptProject(step, log())).catch(() => undefined);
        reached = fault.hit();
        deaths += reached ? 1 : 0;
        const { reencrypted, total } = await rotation();
        expect(reencrypted).toBeLessThanOrEqual(total);
      }
    }
    expect(deaths).toBeGreaterThan(15);
    expect(await rotation()).toMatchObject({ status: 'completed', reencrypted: 9, total: 9 });
    expect(await keyVersions()).toEqual(new Set([2]));
    expect(await place.values('dev')).toEqual({ ...many(5), K1: 'again' });
    expect(await place.values('staging')).toEqual(many(3));
  });

  it('continues where the previous one ended, and records its progress', async () => {
    place = await openWorkplace(api, owner);
    await place.importAll('dev', many(130));
    await place.importAll('staging', many(20));
    const queue = await beginRotation();
    const shown: number[] = [];
    let steps = 0;
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const step = job;
      const size = { itemsPerPage: 50, pages: 1, timeMs: 60_000 };
      await conduct(catching(queue), () => reEncryptProject(step, log(), size));
      shown.push((await rotation()).reencrypted);
      steps += 1;
    }
    expect(steps).toBeGreaterThan(10);
    expect(shown).toEqual(shown.toSorted((a, b) => a - b));
    expect(new Set(shown).size).toBeGreaterThan(3);
    expect(await rotation()).toMatchObject({ status: 'completed', reencrypted: 150, total: 150 });
    expect(await keyVersions()).toEqual(new Set([2]));
  });

  it('starts each walk after the first once earlier commits are visible, five seconds later', () => {
    const later = walks.filter(({ walk }) => walk >= 2);
    expect(later.length).toBeGreaterThan(1);
    expect(new Set(later.map(({ delaySeconds }) => delaySeconds))).toEqual(new Set([5]));
  });

  it('waits for a rotation that is not visible yet, and gives up on one that never happened', async () => {
    place = await openWorkplace(api, owner);
    await place.set('dev', 'A', 'one');
    const [job] = await beginRotation();
    const queue: ReEncryptProject[] = [];
    const early = { ...(job as ReEncryptProject), toVersion: 3 };
    await conduct(catching(queue), () => reEncryptProject(early, log()));
    expect(queue).toEqual([early]);
    const late = { ...early, cursor: { ...early.cursor, queuedAtMs: String(Date.now() - 61_000) } };
    await conduct(catching(queue), () => reEncryptProject(late, log()));
    expect(queue).toEqual([early]);
    expect(await rotation()).toMatchObject({ status: 'in_progress', toVersion: 2 });
  });

  it('leaves a consistent table', async () => {
    expect(violationsOf(await scanTable())).toEqual([]);
  });
});
