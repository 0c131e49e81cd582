import { useEffect, useState } from 'preact/hooks';

/** As in the style sheets. */
const narrow = window.matchMedia('(max-width: 760px)');

/** Whether the page is narrow, as on a phone. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const onChange = () => setNarrow(narrow.matches);
    onChange();
    narrow.addEventListener('change', onChange);
    return () => narrow.removeEventListener('change', onChange);
  }, []);
  return isNarrow;
}
