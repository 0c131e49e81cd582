import { useAction } from '../load.ts';
import { Button } from '../ui/button.tsx';
import { count } from '../ui/count.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';
import { showToast } from '../ui/toast.tsx';
import type { Place } from './place.ts';
import { readAsDotenv } from './reveal.ts';

interface TakeValuesProps {
  place: Place;
  revision: number;
  keys: readonly string[];
  onClose: () => void;
}

/** Copies or downloads values as the lines of a `.env` file. They are read only then, and not shown. */
export function TakeValues({ place, revision, keys, onClose }: TakeValuesProps) {
  const take = useAction(async (use: (text: string) => Promise<void> | void, done: string) => {
    await use(await readAsDotenv(place, revision, keys));
    showToast(`${done} ${count(keys.length, 'value')} of ${place.env}.`);
    onClose();
  });
  return (
    <Dialog title={`${count(keys.length, 'value')} as .env`} onClose={onClose}>
      <p>
        This reads {keys.length === 1 ? 'the value' : `the ${keys.length.toLocaleString('en')} values`} of{' '}
        <span class="mono">{place.env}</span> that you selected. The audit log records that you read them.
      </p>
      <Problem error={take.error} />
      <div class="actions">
        <Button
          kind="primary"
          busy={take.busy}
          onClick={() => void take.run(text => navigator.clipboard.writeText(text), 'Copied')}
        >
          Copy
        </Button>
        <Button
          busy={take.busy}
          onClick={() => void take.run(text => download(`${place.project}-${place.env}.env`, text), 'Downloaded')}
        >
          Download
        </Button>
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}

function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
