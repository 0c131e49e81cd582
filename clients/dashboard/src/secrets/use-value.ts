import { useAction } from '../load.ts';
import { showToast } from '../ui/toast.tsx';
import type { Place } from './place.ts';
import { hide, readStored, reveal, revealed } from './reveal.ts';

/** A text to edit. With `expand`, it may name other keys. */
export interface Editable {
  text: string;
  expand: boolean;
}

/** Shows, copies or takes one value of an environment. Each read is audited; a shown value is not read again. */
export function useValue(place: Place, environmentId: string) {
  const shown = revealed.value?.environmentId === environmentId ? revealed.value : undefined;
  const reading = useAction((read: () => Promise<void>) => read());
  return {
    shown,
    busy: reading.busy,
    error: reading.error,
    toggle: (key: string) => {
      if (shown?.key === key) hide();
      else void reading.run(() => reveal(environmentId, place, key));
    },
    copy: (key: string) =>
      void reading.run(async () => {
        const { value } = shown?.key === key ? shown : await readStored(place, key);
        await navigator.clipboard.writeText(value);
        showToast(`Copied the value of ${key}.`);
      }),
    /** Gives the value as it was set to the editor, unless the user has left the tab meanwhile. */
    take: (key: string, use: (value: Editable) => void) =>
      void reading.run(async () => {
        const value = shown?.key === key ? asSet(shown) : await readAsSet(place, key);
        if (document.visibilityState !== 'hidden') use(value);
      }),
  };
}

const asSet = ({ value, raw }: { value: string; raw?: string }): Editable => ({
  text: raw ?? value,
  expand: raw !== undefined,
});

async function readAsSet(place: Place, key: string): Promise<Editable> {
  const { value, expand = false } = await readStored(place, key, { raw: true });
  return { text: value, expand };
}
