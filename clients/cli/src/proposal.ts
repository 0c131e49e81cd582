import {
  type Environment,
  HoldfastError,
  type Plan,
  type Proposal,
  type Proposals,
  type ProposedChange,
  proposals,
} from '@holdfast/sdk';
import { exitCodes, Failure } from './failure.ts';
import { failureOf } from './failure-of.ts';
import { given } from './given.ts';
import type { Session } from './session.ts';

export interface ProposeFlags {
  propose?: boolean;
  expiresInDays?: number;
  message?: string;
  ifRevision?: number;
}

/** A change with its plan, which shows what it would do. */
export interface PlannedChange {
  environment: Environment;
  plan: Plan<unknown>;
  change: ProposedChange;
}

export const countOf = ({ created, updated, deleted }: Pick<Plan<unknown>, 'created' | 'updated' | 'deleted'>) =>
  created.length + updated.length + deleted.length;

/**
 * Proposes exactly the plan, and prints what the proposal waits for.
 * @throws RevisionMismatch if the environment has changed since
 */
export async function proposePlan(
  session: Pick<Session, 'output' | 'client' | 'url'>,
  { environment, plan, change }: PlannedChange,
  { message, expiresInDays, ifRevision = plan.revision }: ProposeFlags,
): Promise<void> {
  const { output } = session;
  const { slug } = environment;
  // Not decided by the plan, in which a token for names only sees no updates.
  const answer = await proposals(await session.client(), environment)
    .propose(change, given({ message, expiresInDays, ifRevision }))
    .catch(error => {
      if (changesNothing(error)) return undefined;
      throw withOutcome(error, 'holdfast proposals');
    });
  if (answer === undefined) {
    if (output.json) output.document({ proposal: null });
    else output.note(`Nothing to propose: ${slug} would not change.`);
    return;
  }
  const { proposal } = answer;
  warnOfProblems(session, answer);
  const page = pageOf(session, environment, proposal.id);
  if (output.json) return output.document({ ...answer, page });
  output.data(`${proposal.id}\n`);
  const count = countOf(proposal);
  output.note(
    `Proposed ${count} ${count === 1 ? 'change' : 'changes'} of ${slug}, ${standingOf(proposal)}; nothing has changed yet.`,
  );
  output.note(nextStep(session, environment, proposal));
}

function changesNothing(error: unknown): boolean {
  const { code, details } = failureOf(error);
  return code === 'invalid_request' && Array.isArray(details) && details[0]?.message === 'would change nothing';
}

type CheckedProposal = Awaited<ReturnType<Proposals['propose']>>;

/** Warns of what a change breaks in the project’s template, which doesn’t prevent it. */
export function warnOfProblems({ output }: Pick<Session, 'output'>, { templateProblems }: CheckedProposal): void {
  const { missing = [], invalid = [] } = templateProblems ?? {};
  for (const key of missing) output.warn(`The template requires ${key}.`);
  for (const { key, reason } of invalid) output.warn(`By the template, ${key} ${reason}.`);
}

/** Where a proposal stands, such as `waiting for 2 approvals`. */
export function standingOf({ state, approvals, needed }: Proposal): string {
  if (state !== 'open') return state;
  const missing = needed - approvals.length;
  return missing > 0 ? `waiting for ${missing} ${missing === 1 ? 'approval' : 'approvals'}` : 'ready to apply';
}

export function nextStep(
  session: Pick<Session, 'url'>,
  environment: Environment,
  { id, approvals, needed, purpose, created, updated }: Proposal,
): string {
  if (approvals.length < needed) return `Others decide about it in the dashboard: ${pageOf(session, environment, id)}`;
  const place = placeOf(environment);
  return purpose === 'rotation'
    ? `Go on with it: holdfast rotate --resume ${[...updated, ...created][0]} -e ${place}, with the scripts`
    : `Apply it: holdfast proposals apply ${id} -e ${place}`;
}

/** As `-e` takes it from any directory. */
export const placeOf = ({ organization, project, slug }: Environment): string => `${organization}/${project}/${slug}`;

/** The dashboard's page where people decide about a proposal. */
export const pageOf = (
  { url }: Pick<Session, 'url'>,
  { organization, project, slug }: Environment,
  id: string,
): string => `${url()}/organizations/${organization}/projects/${project}/environments/${slug}/proposals/${id}`;

/** The error of a request about a proposal. If its outcome is unknown, revisions don't show it. */
export function withOutcome(error: unknown, check: string): unknown {
  if (!(error instanceof HoldfastError) || !error.outcomeUnknown) return error;
  const { exitCode, code, requestId, details } = failureOf(error);
  const message = `${error.message} The request may have been carried out.`;
  return new Failure(exitCode, code, message, { requestId, details, hint: `Check with: ${check}` });
}

/** @throws Failure for a proposal that is no longer open */
export function requireOpen({ id, state }: Proposal): void {
  if (state === 'open') return;
  const ended = state === 'expired' ? 'has expired' : `was ${state}`;
  throw new Failure(exitCodes.conflict, 'proposal_closed', `The proposal is no longer open: it ${ended}.`, {
    details: { state },
    hint: `See what became of it: holdfast proposals show ${id}`,
  });
}
