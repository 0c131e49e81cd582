import { type Environment, HoldfastError, type Proposal, type Proposals } from '@holdfast/sdk';
import { exitCodes, Failure, usage } from '../failure.ts';
import { failureOf } from '../failure-of.ts';
import { nextStep, placeOf, standingOf, warnOfProblems } from '../proposal.ts';
import type { Session } from '../session.ts';
import { hasStarted, keysOf, ofAnother } from './find-rotation.ts';
import { runScript, type Scripts, type Values, variablesOf } from './scripts.ts';

/*
 * A rotation can end at any moment: a script fails, the service is away, this process is killed. Each step is recorded
 * in the proposal, which keeps the new values until they are set, so that another start can go on. A script may
 * therefore run again.
 */

export interface Rotating {
  session: Session;
  environment: Environment;
  own: Proposals;
  proposal: Proposal;
  scripts: Scripts;
  isResumed: boolean;
  takesInput: boolean;
}

/** Does what is left to do. @throws Failure that says which value is in use outside, and how to go on */
export async function carryOn(rotating: Rotating): Promise<void> {
  const { proposal, scripts, own, session } = rotating;
  if (proposal.state === 'open' && isWaiting(rotating)) return;
  const { applied, values } = proposal.state === 'open' ? await change(rotating) : await changedBefore(rotating);
  const step = stepOf(rotating, `Outside and in ${rotating.environment.slug}, the new value is in use.`);
  if (scripts.after !== undefined) await step(() => run(rotating, 'after', values));
  const finished = await step(() => own.record(applied.id, 'finished'));
  if (session.output.json) session.output.document(finished);
  else
    session.output.note(
      `${namesOf(proposal)} rotated; ${rotating.environment.slug} is at revision ${applied.revision}.`,
    );
}

const namesOf = (proposal: Proposal) => keysOf(proposal).join(', ');

/** Says so if the rotation has to wait for approvals. @throws Failure if it was to go on */
function isWaiting({ session, environment, proposal, isResumed }: Rotating): boolean {
  if (hasStarted(proposal) || proposal.approvals.length >= proposal.needed) return false;
  const { output } = session;
  const standing = `The rotation of ${namesOf(proposal)} is ${standingOf(proposal)}; nothing has changed.`;
  const next = nextStep(session, environment, proposal);
  if (isResumed) throw new Failure(exitCodes.conflict, 'approval_required', standing, { hint: next });
  if (output.json) output.document({ proposal });
  for (const line of [standing, next, `Then: ${resuming(proposal)} -e ${placeOf(environment)}, with the scripts`])
    output.note(line);
  return true;
}

/** The place is added to what a failure advises, as the command named it. */
const resuming = (proposal: Proposal) => `holdfast rotate --resume ${keysOf(proposal)[0]}`;

/** Changes the values outside, then here. */
async function change(rotating: Rotating): Promise<{ applied: Proposal; values: Values }> {
  const { session, environment, own, proposal, scripts, isResumed } = rotating;
  const { id, progress } = proposal;
  const { slug } = environment;
  const before = stepOf(rotating, 'Outside, nothing has changed: the old value is in use.');
  const during = stepOf(rotating, 'Outside, the old value is in use, or already the new one. Holdfast has both.');
  const after = stepOf(rotating, `Outside, the new value is in use. The rotation keeps it until ${slug} has it.`);
  const start = progress === undefined ? before : progress === 'started' ? during : after;
  requireScripts(rotating);
  const { values = [], stale } = await start(() => own.get(id, { values: true }));
  // Before anything starts: also what is left would need them.
  variablesOf(values);
  if (stale.length > 0) await start(() => Promise.reject(moved(rotating, stale)));
  if (progress !== 'changed') {
    await start(() => own.record(id, 'started'));
    await during(() => run(rotating, 'run', values));
    await after(() => own.record(id, 'changed'));
  }
  if (scripts.check !== undefined) await after(() => run(rotating, 'check', values));
  else if (isResumed && progress === 'changed') await after(() => requireConfirmed(rotating));
  const answer = await after(() => apply(rotating));
  warnOfProblems(session, answer);
  session.output.note(`${slug} has the new value of ${namesOf(proposal)}.`);
  return { applied: answer.proposal, values };
}

function requireScripts({ proposal, scripts, session }: Rotating): void {
  if (proposal.progress !== 'changed' && scripts.run === undefined) {
    throw usage('--run is missing: the command that changes the value outside.', 'Nothing was changed now.');
  }
  if (proposal.progress === 'changed' && scripts.check === undefined && session.terminal.isUnattended) {
    throw usage('Without --check, somebody has to say that the new value works.', 'Without a terminal: --yes');
  }
}

async function requireConfirmed({ session: { terminal }, proposal }: Rotating): Promise<void> {
  if (await terminal.confirm(`Does the new value of ${namesOf(proposal)} work outside?`)) return;
  throw new Failure(exitCodes.other, 'declined', 'Nothing was changed now.');
}

function moved({ proposal, environment }: Rotating, keys: readonly string[]): Failure {
  const what = `${keys.join(', ')} of ${environment.slug} got another value since the rotation began.`;
  const hint = `To keep the value of the rotation, first: holdfast proposals rebase ${proposal.id}`;
  return new Failure(exitCodes.conflict, 'proposal_stale', what, { details: { keys }, hint });
}

/** @throws Failure for keys that have another value now */
async function apply(rotating: Rotating): ReturnType<Proposals['apply']> {
  const { own, proposal } = rotating;
  try {
    return await own.apply(proposal.id);
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    if (error.code === 'proposal_stale') throw moved(rotating, (error.details as { keys: string[] }).keys);
    // It was this request, or another start of the command that went on with the same rotation.
    const mayBeApplied = error.outcomeUnknown || error.code === 'proposal_closed';
    const now = mayBeApplied ? await own.get(proposal.id).catch(() => undefined) : undefined;
    if (now?.proposal.state !== 'applied') throw error;
    return now;
  }
}

/**
 * The values of a rotation that was applied, whose proposal has them no longer. Only they are read: the value of another
 * key at that revision may have been destroyed.
 */
async function changedBefore({ environment, proposal, scripts }: Rotating) {
  const { revision = 0, created, updated } = proposal;
  if (scripts.after === undefined) return { applied: proposal, values: [] };
  const at = async (one: number, key: string) => (await environment.pull({ revision: one, keys: [key] })).get(key);
  const values = [...created, ...updated].map(async key => ({
    key,
    before: updated.includes(key) ? await at(revision - 1, key) : undefined,
    after: await at(revision, key),
  }));
  return { applied: proposal, values: await Promise.all(values) };
}

async function run(rotating: Rotating, name: keyof Scripts, values: Values): Promise<void> {
  const script = rotating.scripts[name];
  if (script === undefined) return;
  rotating.session.output.note(`Running --${name} …`);
  await runScript(name, script, { variables: variablesOf(values), takesInput: rotating.takesInput });
}

/** Another start of the command has gone on with the rotation, or ended it. */
function endedMeanwhile(failure: Failure, { proposal, environment }: Rotating): Failure {
  const { exitCode, code, message, requestId, details } = failure;
  const state = /applied/.test(message)
    ? `Another start of the command has set the new value in ${environment.slug}.`
    : 'If --run has changed the value outside, nothing else has the new one.';
  const hint = `See what became of it: holdfast proposals show ${proposal.id}`;
  return new Failure(exitCode, code, `${message}\n${state}`, { requestId, details, hint });
}

/** @param state which value is in use outside while the step is taken */
function stepOf(rotating: Rotating, state: string) {
  const { proposal } = rotating;
  return async <T>(take: () => Promise<T>): Promise<T> => {
    try {
      return await take();
    } catch (error) {
      const failure = failureOf(error);
      const { exitCode, code, message, requestId, details, hint } = failure;
      if (code === 'proposal_closed') throw endedMeanwhile(failure, rotating);
      const another = ofAnother(error, proposal);
      if (another !== undefined) throw another;
      // What has happened is known better here.
      const what = message.replace(/ The change may have been applied.*$/s, '');
      const goOn = `Go on: ${resuming(proposal)}, with the scripts`;
      throw new Failure(exitCode, code, `${what}\n${state}`, {
        requestId,
        details,
        hint: hint === undefined ? goOn : `${hint}\n${goOn}`,
      });
    }
  };
}
