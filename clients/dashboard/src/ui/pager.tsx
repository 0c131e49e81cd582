import { Button } from './button.tsx';
import './pager.css';

/** Links to the other pages of a list, if there are any. */
export function Pager({
  offset,
  shown,
  total,
  size,
  names: [before, after],
  onGo,
}: {
  offset: number;
  shown: number;
  total: number;
  size: number;
  names: readonly [before: string, after: string];
  onGo: (offset: number) => void;
}) {
  if (offset === 0 && shown >= total) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <Button disabled={offset === 0} onClick={() => onGo(Math.max(0, offset - size))}>
        {before}
      </Button>
      <span class="quiet">
        {(offset + 1).toLocaleString('en')}–{(offset + shown).toLocaleString('en')} of {total.toLocaleString('en')}
      </span>
      <Button disabled={offset + shown >= total} onClick={() => onGo(offset + size)}>
        {after}
      </Button>
    </nav>
  );
}
