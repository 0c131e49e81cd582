import { useEffect, useRef, useState } from 'preact/hooks';
import { type Loaded, useLoad } from '../load.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';

/** Hides something after 30 seconds, or when the user changes the tab. */
export function useHiding(isShown: boolean, hide: () => void): void {
  const latest = useRef(hide);
  latest.current = hide;
  useEffect(() => {
    if (!isShown) return;
    const stop = () => latest.current();
    const timer = window.setTimeout(stop, 30_000);
    const onHide = () => {
      if (document.visibilityState === 'hidden') stop();
    };
    document.addEventListener('visibilitychange', onHide);
    return () => {
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', onHide);
    };
  }, [isShown]);
}

/** Whether values are shown. They are also hidden when the subject changes. */
export function useShown(of: string): [shown: boolean, show: (shown: boolean) => void] {
  const [shownOf, setShownOf] = useState<string>();
  const shown = shownOf === of;
  useHiding(shown, () => setShownOf(undefined));
  return [shown, next => setShownOf(next ? of : undefined)];
}

interface WithValues<T> {
  /** Includes values only while they are shown. */
  of: Loaded<T>;
  shown: boolean;
  show: (shown: boolean) => void;
  /** Why the values can't be shown. */
  refusal: unknown;
}

/** Loads keys. Each time the user shows values, one audited read loads them. */
export function useValues<T>(key: string, load: (values: boolean, signal: AbortSignal) => Promise<T>): WithValues<T> {
  const [shown, show] = useShown(key);
  const without = useLoad(key, signal => load(false, signal));
  const within = useLoad(`${key} ${shown}`, async signal => (shown ? await load(true, signal) : undefined));
  return {
    of: { ...without, data: within.data ?? without.data },
    shown,
    show,
    refusal: shown ? within.error : undefined,
  };
}

export function ShowValues<T>({ of: { shown, show, refusal } }: { of: WithValues<T> }) {
  return (
    <>
      <Problem error={refusal} />
      <div class="actions">
        <Button onClick={() => show(!shown)}>{shown ? 'Hide values' : 'Show values'}</Button>
        <span class="quiet">
          {shown ? 'Values are hidden again after 30 seconds.' : 'The audit log records who shows values.'}
        </span>
      </div>
    </>
  );
}
