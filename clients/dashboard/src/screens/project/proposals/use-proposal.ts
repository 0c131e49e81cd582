import { useEffect, useRef, useState } from 'preact/hooks';
import { call, Refusal } from '../../../api.ts';
import { useAction } from '../../../load.ts';
import type { Place } from '../../../secrets/place.ts';
import { type Checked, keepTemplateProblems, missingApprovals, type Proposal } from '../../../secrets/propose.ts';
import { useValues } from '../../../secrets/shown.tsx';
import { user } from '../../../session.ts';
import { count } from '../../../ui/count.ts';
import { showToast } from '../../../ui/toast.tsx';

/** What happened to the proposal while the user looked at it. */
export type Surprise = 'closed' | 'anew';

interface Options {
  place: Place;
  id: string;
  /** Reloads the project. */
  reload: () => Promise<void>;
}

export type Decisions = ReturnType<typeof useProposal>['decisions'];

/** A proposal with its values on request, and what the user may decide about it. */
export function useProposal({ place, id, reload }: Options) {
  const params = { ...place, proposalId: id };
  const { env } = place;
  const loaded = useValues(id, (values, signal) =>
    call('GET /v1/secrets/{orgSlug}/{project}/{env}/proposals/{proposalId}', { params, query: { values }, signal }),
  );
  const [surprise, setSurprise] = useState<Surprise>();
  useProposedAnew(loaded.of.data?.proposal, () => setSurprise('anew'));
  const deciding = useAction(async (request: () => Promise<Checked>, done: (of: Proposal) => string) => {
    try {
      const answer = await request();
      setSurprise(undefined);
      showToast(done(keepTemplateProblems(answer)));
    } catch (error) {
      const code = error instanceof Refusal ? error.code : undefined;
      if (code === 'proposal_closed') setSurprise('closed');
      // After a digest mismatch, the reload shows what is proposed now.
      else if (code !== 'digest_mismatch') throw error;
    } finally {
      loaded.show(false);
      await Promise.all([loaded.of.reload(), reload()]);
    }
  });
  // Values can't be read any more once the proposal is closed.
  const isGone = loaded.refusal instanceof Refusal && loaded.refusal.code === 'proposal_closed';
  useEffect(() => {
    if (!isGone) return;
    loaded.show(false);
    void loaded.of.reload();
  }, [isGone]);
  return {
    loaded,
    surprise,
    decisions: {
      busy: deciding.busy,
      error: deciding.error,
      /** @param digest of what the user sees */
      approve: (digest: string) =>
        void deciding.run(
          () =>
            call('POST /v1/secrets/{orgSlug}/{project}/{env}/proposals/{proposalId}/approve', {
              params,
              body: { digest },
            }),
          approved,
        ),
      reject: (message: string) =>
        deciding.run(
          () =>
            call('POST /v1/secrets/{orgSlug}/{project}/{env}/proposals/{proposalId}/reject', {
              params,
              body: message === '' ? {} : { message },
            }),
          () => `Rejected. Nothing in ${env} changed.`,
        ),
      withdraw: () =>
        deciding.run(
          () => call('POST /v1/secrets/{orgSlug}/{project}/{env}/proposals/{proposalId}/withdraw', { params }),
          () => `Withdrawn. Nothing in ${env} changed.`,
        ),
      apply: () =>
        void deciding.run(
          () => call('POST /v1/secrets/{orgSlug}/{project}/{env}/proposals/{proposalId}/apply', { params }),
          ({ revision }) => `Applied as revision ${revision} of ${env}.`,
        ),
      rebase: () =>
        void deciding.run(
          () => call('POST /v1/secrets/{orgSlug}/{project}/{env}/proposals/{proposalId}/rebase', { params }),
          ({ baseRevision }) => `Proposed again on revision ${baseRevision}. Approvals start over.`,
        ),
    },
  };
}

/** Notices that the author proposed other contents than those that the user has seen. */
function useProposedAnew(proposal: Proposal | undefined, notice: () => void): void {
  const seen = useRef<string>(undefined);
  const digest = proposal?.digest;
  useEffect(() => {
    if (proposal === undefined) return;
    if (seen.current !== undefined && seen.current !== digest && proposal.createdBy.id !== user.value?.id) notice();
    seen.current = digest;
  }, [digest]);
}

function approved(proposal: Proposal): string {
  if (proposal.state === 'applied') return `Approved, and applied as revision ${proposal.revision}.`;
  const missing = missingApprovals(proposal);
  return missing === 0
    ? 'Approved. It can be applied now.'
    : `Approved. It waits for ${count(missing, 'more approval')}.`;
}
