import { useAction } from '../load.ts';
import { showToast } from '../ui/toast.tsx';
import type { Place } from './place.ts';
import { hide, readValue, reveal, revealed } from './reveal.ts';

/** Shows, copies or takes one value of an environment. Each read is audited; a shown value is not read again. */
export function useValue(place: Place, environmentId: string) {
  const shown = revealed.value?.environmentId === environmentId ? revealed.value : undefined;
  const reading = useAction((read: () => Promise<void>) => read());
  const read = async (key: string) => (shown?.key === key ? shown.value : await readValue(place, key));
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
        await navigator.clipboard.writeText(await read(key));
        showToast(`Copied the value of ${key}.`);
      }),
    /** Shows the value in another way, unless the user has left the tab meanwhile. */
    take: (key: string, use: (value: string) => void) =>
      void reading.run(async () => {
        const value = await read(key);
        if (document.visibilityState !== 'hidden') use(value);
      }),
  };
}
