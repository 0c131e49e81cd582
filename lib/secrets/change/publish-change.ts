import { manyKeys } from '../../contracts/fields/events.ts';
import { publishSecretEvent, type SecretEvent } from '../../deliveries/publish.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import { isLive } from '../engine/read-snapshot.ts';
import { moveDeadHeads } from '../engine/tombstones.ts';
import { leavesDeadHeads } from '../engine/write-change.ts';
import type { Change, Decided, Target } from './change-request.ts';

export async function publishChange(
  change: Change<unknown>,
  target: Target,
  decided: Decided<unknown>,
  written: readonly HeadRecord[],
): Promise<void> {
  if (written.length === 0) return;
  const { path, webhooks, context } = change;
  const leftDeadHeads = target.state.deadHeadsUpTo !== undefined || leavesDeadHeads(written);
  await Promise.all([
    ...eventsOf(change, target, decided).map(event => publishSecretEvent(event, webhooks, context.log)),
    leftDeadHeads ? moveDeadHeads(path, context.log) : undefined,
  ]);
}

/**
 * One event for a single key, otherwise one for all keys set and one for all deleted; for a promotion, its own. Pure.
 */
function eventsOf(
  { context: { organization, principal }, message, approved }: Change<unknown>,
  { project, state }: Target,
  { decision: { from }, before, heads }: Decided<unknown>,
): SecretEvent[] {
  const revision = state.revision + 1;
  const why = {
    ...(message !== undefined && { message }),
    ...(approved && {
      proposal: { id: approved.proposal.id, author: approved.author, approvedBy: [...approved.approvedBy] },
    }),
  };
  const common = {
    organizationId: organization.id,
    project: { id: project.id, slug: project.slug },
    environment: { id: state.id, slug: state.slug },
    actor: { id: principal.userId, email: principal.email },
  };
  const ofMany = (event: SecretEvent['event'], changed: readonly HeadRecord[], source = {}): SecretEvent[] => {
    const metadata = { keys: changed.map(({ key }) => key), revision, ...source, ...why };
    return changed.length === 0 ? [] : [{ ...common, event, key: manyKeys, metadata }];
  };
  if (from !== undefined) return ofMany('secret.promoted', heads, { from: { id: from.id, slug: from.slug } });
  const [single] = heads;
  if (single !== undefined && heads.length === 1) {
    const event = isLive(single) ? setEvent(before.get(single.key)) : 'secret.deleted';
    return [{ ...common, event, key: single.key, metadata: { version: single.version, revision, ...why } }];
  }
  const deleted = heads.filter(head => !isLive(head));
  return [...ofMany('secret.bulk_set', heads.filter(isLive)), ...ofMany('secret.bulk_delete', deleted)];
}

export function setEvent(before: HeadRecord | undefined) {
  return isLive(before) ? 'secret.updated' : 'secret.created';
}
