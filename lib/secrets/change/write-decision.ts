import { keysUnlessAll } from '../../audit/keys-that-fit.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import { putAlone, type Write } from '../../table/write.ts';
import { outgrowsPages } from '../engine/head-pages.ts';
import { environmentFacts } from '../engine/read-environment.ts';
import { fitsOneTransaction, writeChange } from '../engine/write-change.ts';
import { bypassWrites } from './bypass.ts';
import type { ApprovedProposal, Change, Decided, Source, Target } from './change-request.ts';
import { generatedFact, generatedKeys } from './new-puts.ts';
import { AllHeadsNeeded, type TargetReads } from './read-target.ts';

/**
 * Writes the decision with its audit entry. Without a change, at most records what the response reveals.
 * @returns the heads that were written
 * @throws AllHeadsNeeded, and what `writeChange` throws
 */
export async function writeDecision(
  change: Change<unknown>,
  reads: TargetReads,
  target: Target,
  decided: Decided<unknown>,
): Promise<readonly HeadRecord[]> {
  if (!decided.isWritten) {
    await recordComparison(change, target, decided);
    return [];
  }
  const { context, path, message, ticket } = change;
  const { state, ring } = target;
  const { before, decision } = decided;
  const heads = await sealHeads(target, decided);
  const isMixed = 'named' in reads.heads;
  // Needed for a large change, which overwrites versions unconditionally, and to measure an environment anew.
  if (isMixed && (!fitsOneTransaction(heads) || outgrowsPages({ before, heads, state }))) throw new AllHeadsNeeded();
  const [audit, bypass] = await Promise.all([auditPut(change, target, decided), bypassWrites(change, target, decided)]);
  const checks = async () => [
    ...(decision.from?.check === undefined ? [] : [decision.from.check]),
    ...bypass,
    ...((await change.approved?.close(target)) ?? []),
  ];
  const approval = approvalOf(change);
  const requireStill = () => context.access.requireStill();
  const revised = { path, state, before, heads, audit, restored: decision.restored, message, approval, requireStill };
  await writeChange({ ...revised, isMixed, checks, ring, served: ticket.servedBy(state) }, context.log);
  ticket.committed();
  return heads;
}

function approvalOf({ approved }: Change<unknown>) {
  return approved && { proposal: approved.proposal, approvedBy: approved.approvedBy };
}

function sealHeads({ state, ring }: Target, { decision: { puts }, heads }: Decided<unknown>): Promise<HeadRecord[]> {
  const values = new Map(puts.map(({ key, value }) => [key, value]));
  return Promise.all(
    heads.map(async head => {
      const value = values.get(head.key);
      if (value === undefined) return head;
      const sealed = await ring.seal(value, { environmentId: state.id, key: head.key, version: head.version });
      return { ...head, sealed, keyVersion: ring.keyVersion };
    }),
  );
}

/** A response that lists unchanged keys confirms their values, so without an audited change it gets its own entry. */
async function recordComparison(
  { context }: Change<unknown>,
  { project, state }: Target,
  { plan: { unchanged }, decision: { from } }: Decided<unknown>,
): Promise<void> {
  if (unchanged.length === 0) return;
  const keys = keysUnlessAll(unchanged, state.secretCount);
  const entry = { action: 'secret.compared', ...environmentFacts(project, state), ...keys } as const;
  await putAlone(await context.audit({ ...entry, ...(from === undefined ? {} : { from: placeOf(from) }) }));
}

const placeOf = ({ id, slug, revision }: Source) => ({ id, slug, revision });

function auditPut(
  { context, entry, message, approved }: Change<unknown>,
  { project, state }: Target,
  { decision: { action, from, restored, puts }, heads, plan: { unchanged } }: Decided<unknown>,
): Promise<Write> {
  const source = from && { slug: from.slug, revision: from.revision };
  const details = {
    ...(from && { from: source }),
    ...(restored !== undefined && { restored }),
    ...generatedFact(generatedKeys(puts)),
    ...approvalDetails(approved),
  };
  return context.audit({
    action,
    ...environmentFacts(project, state, state.revision + 1),
    keys: heads.map(({ key }) => key),
    unchanged,
    ...(from && { from: placeOf(from) }),
    ...(Object.keys(details).length > 0 && { details }),
    message,
    entry,
  });
}

function approvalDetails(approved: ApprovedProposal | undefined) {
  if (approved === undefined) return {};
  const { proposal, author, approvedBy } = approved;
  const approvers = Object.fromEntries(approvedBy.map(({ id, email }) => [id, email]));
  return {
    proposal: proposal.id,
    holds: proposal.holds,
    author: author.email,
    ...(approvedBy.length > 0 && { approvers }),
  };
}
