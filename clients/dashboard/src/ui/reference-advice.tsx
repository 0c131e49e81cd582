import type { ComponentChildren } from 'preact';
import type { Refusal } from '../api.ts';

/** The details of the errors about values that name other keys. */
interface Details {
  key?: string;
  references?: readonly string[];
  referencedBy?: readonly string[];
}

/** What to do about a change after which a value would name a key in vain, itself, or too much. */
export function ReferenceAdvice({ refusal: { code, details } }: { refusal: Refusal }) {
  const { key, references = [], referencedBy = [] } = (details ?? {}) as Details;
  const advice: Readonly<Partial<Record<Refusal['code'], ComponentChildren>>> = {
    reference_not_found: (
      <>
        Set or promote <Names of={references} /> in the same change, or correct the name in <Names of={[key]} />. If{' '}
        <code>${'{…}'}</code> is meant as plain text, set <Names of={[key]} /> without naming other keys.
      </>
    ),
    reference_cycle: 'Give one of these keys a value that names none of the others.',
    reference_too_deep: (
      <>
        Let <Names of={[key]} /> name the keys at the end directly, or set one of those in between as plain text.
      </>
    ),
    key_referenced: (
      <>
        Keep <Names of={[key]} />, or delete or change <Names of={referencedBy} /> in the same change.
      </>
    ),
    payload_too_large: key !== undefined && (
      <>
        Let <Names of={[key]} /> name fewer or shorter values. If you can’t read the environment, each named key counts
        as 64 KiB, so that a value can only be one reference without other text.
      </>
    ),
  };
  const found = advice[code as keyof typeof advice];
  return found ? <p>{found}</p> : null;
}

const most = 5;

function Names({ of: keys }: { of: readonly (string | undefined)[] }) {
  return (
    <>
      {keys.slice(0, most).map((key, index) => (
        <span key={key}>
          {index > 0 && ', '}
          <span class="mono key">{key}</span>
        </span>
      ))}
      {keys.length > most && ` and ${keys.length - most} more`}
    </>
  );
}
