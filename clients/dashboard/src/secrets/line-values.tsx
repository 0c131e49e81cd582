import { useLoad } from '../load.ts';
import { Problem } from '../ui/problem.tsx';
import { ChangedValues } from './changed-values.tsx';
import type { Place } from './place.ts';
import { readStored } from './reveal.ts';
import { useShown } from './shown.tsx';
import type { Staged } from './stage.ts';

interface LineValuesProps {
  place: Place;
  /** The revision that the change was staged on. */
  revision: number;
  name: string;
  staged: Staged;
}

/** The old and the new value of a staged change, shown on demand. Showing an old value is one audited read. */
export function LineValues(props: LineValuesProps) {
  const [shown, show] = useShown(props.name);
  return (
    <>
      <button
        type="button"
        class="link"
        aria-label={`${shown ? 'Hide' : 'Show'} the values of ${props.name}`}
        onClick={() => show(!shown)}
      >
        {shown ? 'hide' : 'show'}
      </button>
      {shown && <ShownValues {...props} />}
    </>
  );
}

function ShownValues({ place, revision, name, staged }: LineValuesProps) {
  const exists = staged.base !== undefined && staged.base > 0;
  const before = useLoad(`${name} ${revision}`, async signal =>
    exists ? (await readStored(place, name, { revision, raw: true, signal })).value : undefined,
  );
  return (
    <>
      <ChangedValues before={before.data} after={staged.kind === 'set' ? staged.value : undefined} />
      <Problem error={before.error} />
    </>
  );
}
