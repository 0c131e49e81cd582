import { useEffect, useState } from 'preact/hooks';

/** Whether values are shown: for half a minute, and never behind another tab. */
export function useShown(): [shown: boolean, set: (shown: boolean) => void] {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!shown) return;
    const stop = () => setShown(false);
    const timer = window.setTimeout(stop, 30_000);
    const onHide = () => {
      if (document.visibilityState === 'hidden') stop();
    };
    document.addEventListener('visibilitychange', onHide);
    return () => {
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', onHide);
    };
  }, [shown]);
  return [shown, setShown];
}
