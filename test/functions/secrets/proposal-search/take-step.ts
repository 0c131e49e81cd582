import { Job } from '#lib/core/job.ts';
import { openLog } from '#lib/core/logger.ts';
import { reEncryptProject } from '#lib/projects/re-encrypt-project.ts';
import { at } from '#lib/table/read.ts';
import { proposalRecord } from '#lib/table/records/proposal.ts';
import { transact, update } from '#lib/table/write.ts';
import type { Answer } from '#test/support/api.ts';
import { numbered } from '#test/support/numbered.ts';
import { conduct } from '#test/support/observe-calls.ts';
import type { Person } from '#test/support/people.ts';
import { conductorOf, sendConducted } from './conduct-step.ts';
import type { Step, WriteFault } from './steps.ts';
import { demote, env, type Known, leave, proposalPath, type World } from './world.ts';

/* Takes a step of a sequence. */

/** What was sent, and what came back. */
export interface Taken {
  step: Step;
  actor: string;
  proposal?: Known | undefined;
  digest?: string | undefined;
  answer?: Answer | undefined;
}

/** More keys than one transaction has room for. */
const manyKeys = 46;

function contentOf({ revisions }: World['before'], { content, key, value }: Step): object {
  switch (content) {
    case 'set':
      return { set: [{ key, value }] };
    case 'several':
      return { set: ['A', 'C', 'D'].map(name => ({ key: name, value })), delete: ['B'] };
    case 'delete':
      return { delete: [key] };
    case 'promote':
      return { promote: { from: 'dev' } };
    case 'restore':
      return { restore: { revision: Math.max(0, (revisions[0]?.revision ?? 0) - Number(value)) } };
    case 'many':
      return {
        set: Object.entries(numbered(manyKeys, value)).map(([name, text]) => ({ key: name, value: text })),
      };
  }
}

export async function take(world: World, step: Step, meanwhile?: () => Promise<void>): Promise<Taken> {
  const { api, place, people, known, jobs, before } = world;
  const { action, key, value, approvals, isOdd, fault } = step;
  const proposal = proposalOf(known, step);
  const person = actorOf(people, proposal, step);
  const { owner } = place;
  const taken = { step, actor: person.user.id, proposal };
  const send = async (call: (headers: Record<string, string>) => Promise<Answer>) => ({
    ...taken,
    answer: await sendConducted({ action, fault, jobs }, meanwhile, call),
  });
  const post = (rest: string, body?: object) =>
    send(headers => api.post(proposalPath(place, rest), body, person.session, headers));
  switch (action) {
    case 'propose':
      return post('', { ...contentOf(before, step), ...(isOdd && { purpose: 'rotation' }) });
    case 'approve': {
      if (proposal === undefined) return taken;
      const digest = isOdd ? ([...proposal.shown.keys()][0] as string) : proposal.digest;
      return { ...(await post(`/${proposal.id}/approve`, { digest })), digest };
    }
    case 'apply':
    case 'rebase':
    case 'withdraw':
    case 'reject':
      if (proposal === undefined) return taken;
      return post(`/${proposal.id}/${action}`, action === 'reject' ? {} : undefined);
    case 'edit':
      return send(headers => place.set(env, key, value, { as: person.session, headers }));
    case 'edit elsewhere':
      return send(headers => place.set('dev', key, value, { headers }));
    case 'bypass':
      return send(headers => place.set(env, key, value, { headers, query: '?bypass=search' }));
    case 'rotate':
      return send(headers => place.rotateKey({ headers }));
    case 'require':
      return send(headers =>
        api.patch(`${place.projectPath}/environments/${env}`, { approvals }, owner.session, headers),
      );
    case 'run job':
      await runJob(world, fault, isOdd);
      return taken;
    case 'demote':
      await demote(world, step.person, isOdd);
      return taken;
    case 'leave':
      await leave(world, step.person);
      return taken;
    case 'expire':
      if (proposal !== undefined) await expire(world, proposal);
      return taken;
  }
}

/** Mostly an open one. */
function proposalOf(known: readonly Known[], { proposal, isOdd }: Step): Known | undefined {
  const open = known.filter(({ state }) => state === 'open');
  const among = isOdd || open.length === 0 ? known : open;
  return among.at(-1 - (proposal % among.length));
}

/** Mostly somebody who may do it: the author, or for an approval somebody else. */
function actorOf(people: readonly Person[], proposal: Known | undefined, { action, person, isOdd }: Step): Person {
  const author = people.findIndex(({ user }) => user.id === proposal?.author);
  const takesAuthor = ['apply', 'rebase', 'withdraw'].includes(action);
  const takesOther = action === 'approve' || action === 'reject';
  if (author === -1 || isOdd) return people[person] as Person;
  if (takesAuthor) return people[author] as Person;
  return people[takesOther && person === author ? (person + 1) % people.length : person] as Person;
}

async function expire({ place }: World, { id, state }: Known): Promise<void> {
  if (state !== 'open') return;
  const item = at(proposalRecord, place.pathOf(env), id);
  await transact([update(item, { set: { endsAt: new Date(0).toISOString() } })]);
}

const log = openLog({});

/** A step of a key rotation. The queue delivers again what fails, and sometimes what doesn't. */
async function runJob({ jobs }: World, fault: WriteFault | undefined, isTwice: boolean): Promise<void> {
  const body = jobs.shift();
  if (body === undefined) return;
  const job = Job.parse(JSON.parse(body));
  if (job.type !== 're-encrypt-project') return;
  if (isTwice) jobs.push(body);
  const conductor = conductorOf({ action: `job step ${Math.min(2, Number(job.cursor?.walk ?? 0))}`, fault, jobs });
  try {
    await conduct(conductor, () => reEncryptProject(job, log));
  } catch (error) {
    if (fault === undefined) throw error;
    jobs.push(body);
  }
}

/** Until nothing is left to do. A step of a rotation that never began queues itself for a minute. */
export async function runAllJobs(world: World): Promise<void> {
  for (let steps = 0; world.jobs.length > 0 && steps < 60; steps += 1) await runJob(world, undefined, false);
}
