import { environmentTypes } from 'virtual:contracts';
import type { EnvironmentType } from '@holdfast/contracts/fields/role.ts';
import { Select } from '../../ui/select.tsx';

const meanings: Readonly<Record<EnvironmentType, string>> = {
  development: 'Everyone can read it; everyone but viewers can write it.',
  staging: 'Developers, admins and owners can read and write it.',
  production: 'Admins and owners can read and write it; developers can only write it.',
};

interface TypeSelectProps {
  value: EnvironmentType;
  onChange: (type: EnvironmentType) => void;
  /** Why it can't be changed. */
  whyNot?: string | undefined;
}

/** An environment's type, and who can read and write because of it. */
export function EnvironmentTypeSelect({ value, onChange, whyNot }: TypeSelectProps) {
  return (
    <Select
      label="Type"
      value={value}
      options={environmentTypes.map(name => [name, name])}
      onChange={type => onChange(type as EnvironmentType)}
      hint={whyNot ?? meanings[value]}
      disabled={whyNot !== undefined}
    />
  );
}
