import { sessionRequired } from '../../access/authorize.ts';
import { ApiError } from '../../core/errors.ts';
import { queueJob } from '../../core/queue.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import type { Write } from '../../table/write.ts';
import { environmentFacts } from '../engine/read-environment.ts';
import type { Change, Decided, Target } from './change-request.ts';

/*
 * An environment may require that people approve each change of its secrets. Then a change is proposed
 * (`lib/secrets/proposals`), except by an owner who breaks glass, which everybody who manages the organization learns.
 */

function needsApproval({ dryRun, approved }: Change<unknown>, { approvals = 0 }: EnvironmentState): boolean {
  return approvals > 0 && !dryRun && approved === undefined;
}

/** @throws approval_required; for a bypass also insufficient_scope, forbidden, step_up_required */
export function requireApproval(change: Change<unknown>, state: EnvironmentState): void {
  const { context, path, bypass } = change;
  const isNeeded = needsApproval(change, state);
  if (isNeeded && bypass === undefined) {
    const { orgSlug, project, env } = path;
    const message = 'Changes of this environment need approval: propose it instead.';
    const details = { propose: `/v1/secrets/${orgSlug}/${project}/${env}/proposals` };
    throw new ApiError('approval_required', message, { details });
  }
  if (isNeeded && context.principal.credential.method === 'token') throw sessionRequired();
  if (isNeeded && context.access.projectRole !== 'owner') {
    throw new ApiError('forbidden', 'Only an owner may change this environment without approval.');
  }
  context.requireFresh(isNeeded);
}

/** The audit entry of a bypass. Its mails are queued first, once for all attempts, and sent if the entry is written. */
export async function bypassWrites(
  change: Change<unknown>,
  { project, state }: Target,
  { heads, decision }: Decided<unknown>,
): Promise<Write[]> {
  const { context, entry, bypass: reason = '', path } = change;
  if (!needsApproval(change, state)) return [];
  const audit = await context.audit({
    action: 'secret.approval_bypassed',
    ...environmentFacts(project, state, state.revision + 1),
    keys: heads.map(({ key }) => key),
    details: { reason, change: decision.action },
    entry,
  });
  if (!change.isBypassMailed) {
    const { id: organizationId } = context.organization;
    await queueJob({ type: 'mail-bypass', orgSlug: path.orgSlug, organizationId, entry: audit.key });
    change.isBypassMailed = true;
  }
  return [audit];
}
