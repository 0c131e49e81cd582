import type { MemberContext } from '../../access/request-context.ts';
import type { CheckedProposal } from '../../contracts/secrets/proposals.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import { find } from '../../table/read.ts';
import { sortOutUnchanged } from '../change/decide-change.ts';
import { beginChange } from '../change/read-target.ts';
import { changeByCopy, changeSecrets } from '../change-secrets.ts';
import { isLive } from '../engine/read-snapshot.ts';
import { DecisionOutdated } from '../engine/write-change.ts';
import { proposalClosed, requireOpen } from './close-proposal.ts';
import { requireAuthor } from './end-proposal.ts';
import { nothingToPropose, requireMayReplace } from './propose.ts';
import { requireProposal } from './read-proposal.ts';
import { proposedValues, queueNotice, storeRebased } from './store-proposal.ts';
import { generatedIn, keysOf, openValues, proposalAt, readParts } from './stored-proposal.ts';
import { knownProblems, readTemplate } from './template-problems.ts';
import { proposalView } from './view-proposal.ts';

type Reads = Awaited<ReturnType<typeof beginRebase>>;

/** Two round trips, the first in parallel with authentication. */
export async function beginRebase(path: EnvironmentPath, id: string) {
  const [proposal, template] = await Promise.all([find(proposalAt(path, id)), readTemplate(path)]);
  const [target, parts] = await Promise.all([
    beginChange(path, proposal === undefined ? [] : keysOf(proposal), { dryRun: true }),
    proposal === undefined ? [] : readParts(path, proposal),
  ]);
  return { path, proposal, template, parts, target };
}

/**
 * Proposes the same values against the environment as it is now.
 * @throws forbidden for anybody but the author; invalid_request if it would change nothing and is no rotation;
 * proposal_not_found, proposal_closed, plan_limit_exceeded, payload_too_large
 */
export async function rebaseProposal(context: MemberContext, id: string, begun: Reads): Promise<CheckedProposal> {
  // Once for all attempts.
  let isNoticeQueued = false;
  return changeByCopy(
    begun,
    () => beginRebase(begun.path, id),
    async ({ path, proposal: read, template, parts, target }) => {
      const { project, state: readState } = target.reads;
      const reads = { path, proposal: read, people: new Map(), project, state: readState };
      const { proposal } = await requireProposal(context, reads);
      requireAuthor(context, proposal);
      requireMayReplace(context, proposal);
      requireOpen(proposal);
      let stored: CheckedProposal | undefined;
      let macKey = '';
      await changeSecrets(context, target, {
        ifMatch: undefined,
        dryRun: true,
        decide: async current => {
          const proposed = await openValues(path, proposal, current.ring, parts);
          if (proposed === undefined) throw new DecisionOutdated();
          ({ macKey } = proposed);
          const expanding = new Set(proposal.expand);
          const generated = new Set(generatedIn(proposal));
          const secrets = [...proposed.values].map(([key, value]) => {
            return { key, value, expand: expanding.has(key), generated: generated.has(key) };
          });
          const kept = new Set(keysOf(proposal));
          const deletions = proposal.deleted.map(([key]) => key).filter(key => isLive(current.head(key)));
          const puts = secrets.filter(({ key }) => kept.has(key));
          // The scripts of a rotation take all of its values, and it is finished by applying it.
          const sorted = proposal.purpose === 'rotation' ? { puts } : await sortOutUnchanged(puts, current);
          return { ...sorted, deletions, action: 'proposal.created', answer: () => undefined };
        },
        propose: async (decidedTarget, decided) => {
          if (Date.parse(proposal.endsAt) <= Date.now()) throw proposalClosed(proposal);
          const values = proposedValues(decided);
          if (values === undefined) return;
          const proposing = { path, target: decidedTarget, decided, values };
          if (!isNoticeQueued) await queueNotice(context, path, decidedTarget, proposal.id);
          isNoticeQueued = true;
          const rebased = await storeRebased(context, proposing, proposal, macKey);
          const problems = knownProblems(context, template, decidedTarget, decided.decision);
          stored = { proposal: proposalView(context.access, rebased, decidedTarget.state, new Map()), ...problems };
        },
      });
      if (stored === undefined) throw nothingToPropose();
      return stored;
    },
  );
}
