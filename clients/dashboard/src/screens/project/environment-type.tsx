import { environmentTypes } from 'virtual:contracts';
import type { EnvironmentType } from '../../../../../lib/contracts/fields/environment-type.ts';
import { Select } from '../../ui/select.tsx';

const meanings: Readonly<Record<EnvironmentType, string>> = {
  development: 'Read by everybody, written by all but viewers.',
  staging: 'Read and written by developers, admins and owners.',
  production: 'Read by admins and owners; developers write it without reading.',
};

interface TypeSelectProps {
  value: EnvironmentType;
  onChange: (type: EnvironmentType) => void;
  /** Why it can't be changed. */
  whyNot?: string | undefined;
}

/** An environment's type, with what it means for who reads and writes. */
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
