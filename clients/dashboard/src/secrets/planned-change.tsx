import type { Role } from '@holdfast/contracts/fields/role.ts';
import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import type { ComponentChildren } from 'preact';
import { Refusal } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';
import { Apply, type Sending } from './apply.tsx';
import { Proof, type ProofLine } from './proof.tsx';
import { WaitsForApproval } from './waits-for-approval.tsx';

interface PlannedChangeProps {
  environment: Environment;
  role: Role;
  lines: readonly ProofLine[];
  /** The number of lines to apply. */
  chosen: number;
  /** The revision that the plan was made on. Applying it sends this as `If-Match`. */
  revision: number;
  /** Shown if the plan has no lines. */
  empty: string;
  /** The label of the apply button. */
  label: string;
  busy: boolean;
  error: unknown;
  onApply: (sending: Sending) => void;
  onPlanAgain: () => void;
  children?: ComponentChildren;
}

/**
 * The plan of a dry run, applied only on the revision that it was made for. After a conflict, a button makes a new
 * plan.
 */
export function PlannedChange(props: PlannedChangeProps) {
  const { environment, role, lines, chosen, revision, busy, error } = props;
  const isApplied = chosen > 0 && environment.approvals === 0;
  return (
    <>
      <Proof lines={lines} from={revision} to={isApplied ? revision + 1 : undefined} empty={props.empty} />
      {props.children}
      {chosen > 0 && <WaitsForApproval environment={environment} />}
      <Problem error={error} />
      {error instanceof Refusal && error.status === 412 && <Button onClick={props.onPlanAgain}>Plan again</Button>}
      {lines.length > 0 && (
        <Apply
          environment={environment}
          role={role}
          label={props.label}
          busy={busy}
          disabled={chosen === 0}
          onApply={props.onApply}
        />
      )}
    </>
  );
}
