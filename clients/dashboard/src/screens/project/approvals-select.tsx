import { maxApprovals } from 'virtual:contracts';
import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { othersApprove } from '../../secrets/waits-for-approval.tsx';
import { Select } from '../../ui/select.tsx';

interface ApprovalsSelectProps {
  environment: Environment;
  value: number;
  onChange: (approvals: number) => void;
  mayLower: boolean;
  /** Why it can't be changed. */
  whyNot: string | undefined;
}

/** How many people must approve each change of an environment, and what that means. */
export function ApprovalsSelect({ environment, value, onChange, mayLower, whyNot }: ApprovalsSelectProps) {
  const numbers = Array.from({ length: maxApprovals + 1 }, (_, number) => number);
  const meaning =
    value === 0
      ? 'Whoever can write changes it alone.'
      : `Each change of its secrets is proposed, and applied once ${othersApprove(value)}.`;
  return (
    <Select
      label="Approvals"
      value={`${value}`}
      options={numbers
        .filter(number => mayLower || number >= environment.approvals)
        .map(number => [`${number}`, number === 0 ? 'none' : `${number}`])}
      onChange={number => onChange(Number(number))}
      hint={mayLower || environment.approvals === 0 ? meaning : `${meaning} Only owners can lower the number.`}
      disabled={whyNot !== undefined}
    />
  );
}
