import { maximumAssertionAgeMinutes } from '@holdfast/contracts/fields/identity-limits.ts';
import type { Identity } from '@holdfast/contracts/identities/identities.ts';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { Field } from '../../../ui/field.tsx';

export type TokenRules = Pick<Identity, 'singleUse' | 'maxAssertionAgeMinutes' | 'tokenMinutes'>;

interface TokenFieldsProps {
  rules: TokenRules;
  onChange: (rules: TokenRules) => void;
  /** Why the platform’s tokens may be used so often and be so old. */
  reason?: string;
  error: unknown;
}

/** How often the platform's token is accepted, how old it may be, and how long its exchange lasts. */
export function TokenFields({ rules, onChange, reason, error }: TokenFieldsProps) {
  return (
    <>
      <Checkbox
        label="Accept each of the platform’s tokens only once"
        checked={rules.singleUse}
        onChange={singleUse => onChange({ ...rules, singleUse })}
        hint={reason ?? 'Turn this off if a container may start again with the same token.'}
      />
      <Field
        label="Oldest token of the platform, in minutes"
        name="maxAssertionAgeMinutes"
        type="number"
        min={1}
        max={maximumAssertionAgeMinutes}
        required
        value={String(rules.maxAssertionAgeMinutes)}
        onInput={value => onChange({ ...rules, maxAssertionAgeMinutes: Number(value) })}
        hint="Older tokens are rejected, even if they have not expired."
        error={error}
      />
      <Field
        label="Minutes that a Holdfast token is valid"
        name="tokenMinutes"
        type="number"
        min={5}
        max={60}
        required
        value={String(rules.tokenMinutes)}
        onInput={value => onChange({ ...rules, tokenMinutes: Number(value) })}
        hint="Cover the time from sign-in until the job’s last request."
        error={error}
      />
    </>
  );
}
