import { signal } from '@preact/signals';
import { type Answer, call, Refusal } from '../api.ts';
import { navigate } from '../router.ts';
import { onOtherUser } from '../session.ts';
import { count } from '../ui/count.ts';
import { showToast } from '../ui/toast.tsx';
import type { Place } from './place.ts';

export type Proposal = Answer<'GET /v1/secrets/{orgSlug}/{project}/{env}/proposals/{proposalId}'>['proposal'];

type Request = Parameters<typeof call<'POST /v1/secrets/{orgSlug}/{project}/{env}/proposals'>>[1];

/** A proposal, with what it breaks in the template. */
export type Checked = Answer<'POST /v1/secrets/{orgSlug}/{project}/{env}/proposals'>;

/** What proposals break in the template, by their ids. */
export const templateProblems = signal<ReadonlyMap<string, NonNullable<Checked['templateProblems']>>>(new Map());
onOtherUser(() => {
  templateProblems.value = new Map();
});

/** Keeps what an answer says about the template for the proposal’s page. @returns the proposal */
export function keepTemplateProblems({ proposal, templateProblems: problems }: Checked): Proposal {
  const kept = new Map(templateProblems.value);
  if (problems === undefined) kept.delete(proposal.id);
  else kept.set(proposal.id, problems);
  templateProblems.value = kept;
  return proposal;
}

/** The page of an environment’s proposals, or of one. */
export function proposalsPath({ orgSlug, project, env }: Place, id?: string): string {
  const list = `/organizations/${orgSlug}/projects/${project}/environments/${env}/proposals`;
  return id === undefined ? list : `${list}/${id}`;
}

/** How many approvals are missing. */
export const missingApprovals = ({ needed, approvals }: Proposal): number => Math.max(0, needed - approvals.length);

/**
 * Proposes a change and opens its page, which shows exactly what was proposed.
 * @param onProposed runs before that
 */
export async function propose(
  place: Place,
  body: NonNullable<Request>['body'],
  onProposed: () => Promise<void>,
): Promise<void> {
  const params = { ...place };
  const answer = await call('POST /v1/secrets/{orgSlug}/{project}/{env}/proposals', { params, body });
  const proposal = keepTemplateProblems(answer);
  const missing = missingApprovals(proposal);
  showToast(
    missing === 0
      ? 'Proposed. It needs no approval: apply it when you are ready.'
      : `Proposed: waiting for ${count(missing, 'approval')}. Nothing has changed yet.`,
  );
  await onProposed();
  navigate(proposalsPath(place, proposal.id));
}

/** Reloads the page if its environment has begun to require approvals, so that it offers to propose the change. */
export async function orOfferToPropose<T>(change: Promise<T>, reload: () => Promise<void>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'approval_required') await reload();
    throw error;
  }
}
