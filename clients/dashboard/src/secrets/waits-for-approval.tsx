import type { Environment } from '@holdfast/contracts/projects/projects.ts';

/** Who decides about a change: `one other person approves it`. */
export const othersApprove = (needed: number): string =>
  needed === 1 ? 'one other person approves it' : `${needed} other people approve it`;

/** Before a change is proposed: that it is not applied yet. */
export function WaitsForApproval({ environment: { slug, approvals } }: { environment: Environment }) {
  if (approvals === 0) return null;
  return (
    <p class="notice">
      You propose this change: {slug} stays as it is until {othersApprove(approvals)}. Then it gets all of this as one
      revision.
    </p>
  );
}
