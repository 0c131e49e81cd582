import { useAction } from '../load.ts';
import { showToast } from '../ui/toast.tsx';
import type { Place } from './place.ts';
import { hide, readValue, reveal, revealed } from './reveal.ts';

/** Shows, copies or takes one value of an environment. Each read is audited; a shown value is not read again. */
export function useValue(place: Place, environmentId: string) {
  const shown = revealed.value?.environmentId === environmentId ? revealed.value : undefined;
  const reading = useAction((read: () => Promise<void>) => read());
  const take = (key: string, use: (value: string) => Promise<void> | void) =>
    void reading.run(async () => use(shown?.key === key ? shown.value : await readValue(place, key)));
  return {
    shown,
    busy: reading.busy,
    error: reading.error,
    toggle: (key: string) => {
      if (shown?.key === key) hide();
      else void reading.run(() => reveal(environmentId, place, key));
    },
    copy: (key: string) =>
      take(key, async value => {
        await navigator.clipboard.writeText(value);
        showToast(`Copied the value of ${key}.`);
      }),
    take,
  };
}
