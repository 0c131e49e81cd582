import type { usePages } from '../load.ts';
import { Button } from './button.tsx';
import { Problem } from './problem.tsx';

interface FurtherProps {
  of: Pick<ReturnType<typeof usePages>, 'data' | 'error' | 'pending' | 'reload' | 'further'>;
  /** What is known while more pages arrive. */
  searching: string;
  /** What the rest is. */
  left: string;
}

/** The end of a list that is loaded in pages: what is going on, and a button for the rest. */
export function Further({ of: { data, error, pending, reload, further }, searching, left }: FurtherProps) {
  if (data === undefined) return null;
  return (
    <>
      {error !== undefined && <Problem error={error} retry={() => void reload()} />}
      <p class="quiet" role="status">
        {pending && searching}
      </p>
      {further.isLeft && (
        <div class="actions">
          <span>{left}</span>
          <Button busy={further.busy} onClick={() => void further.run()}>
            Search further
          </Button>
        </div>
      )}
      <Problem error={further.error} />
    </>
  );
}
