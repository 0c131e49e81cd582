import { partsOf } from '@holdfast/contracts/fields/references.ts';
import { useMemo } from 'preact/hooks';
import { Checkbox } from '../ui/checkbox.tsx';

interface ReferencesProps {
  /** The key whose value is edited. */
  name: string;
  value: string;
  expand: boolean;
  /** Whether the environment has a key once the stage is applied; undefined if its keys are not known. */
  willHave: (key: string) => boolean | undefined;
  onExpand: (expand: boolean) => void;
}

/** Whether the value names other keys, and which. Only the user decides that: no text turns it on. */
export function References({ name, value, expand, willHave, onExpand }: ReferencesProps) {
  const named = useMemo(() => keysIn(value), [value]);
  const missing = named.filter(key => key !== name && willHave(key) === false);
  return (
    <>
      <Checkbox
        label="Name other keys as ${KEY}"
        checked={expand}
        onChange={onExpand}
        hint="Whoever reads this value gets the value of that key in its place. Write $${ for a plain ${. Without this, every character stays as it is."
      />
      <div class="references" aria-live="polite">
        {!expand && named.length > 0 && (
          <p class="hint">
            <Keys of={named} /> {named.length === 1 ? 'stays as it is typed' : 'stay as they are typed'}.
          </p>
        )}
        {expand && (
          <p class="hint">
            {named.length === 0 ? (
              'It names no key yet.'
            ) : (
              <>
                Names <Keys of={named} />.
              </>
            )}
          </p>
        )}
        {expand && named.includes(name) && <p class="problem">A value can’t name its own key.</p>}
        {expand && missing.length > 0 && (
          <p class="problem">
            Not in this environment: <Keys of={missing} />. Stage {missing.length === 1 ? 'it' : 'them'} too, or correct
            the name.
          </p>
        )}
      </div>
    </>
  );
}

/** The keys that a text names, each once. */
function keysIn(text: string): string[] {
  return [...new Set(partsOf(text).flatMap(part => (typeof part === 'string' ? [] : [part.key])))];
}

const most = 8;

function Keys({ of: keys }: { of: readonly string[] }) {
  const more = keys.length > most ? ` and ${keys.length - most} more` : '';
  return (
    <>
      <span class="mono">
        {keys
          .slice(0, most)
          .map(key => `\${${key}}`)
          .join(', ')}
      </span>
      {more}
    </>
  );
}
