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
  /** Null if it is not known. */
  total: number | null;
  size: number;
  names: readonly [before: string, after: string];
  onGo: (offset: number) => void;
}) {
  const isLast = total === null ? shown < size : offset + shown >= total;
  if (offset === 0 && isLast) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <Button disabled={offset === 0} onClick={() => onGo(Math.max(0, offset - size))}>
        {before}
      </Button>
      <span class="quiet">
        {(offset + 1).toLocaleString('en')}–{(offset + shown).toLocaleString('en')}
        {total !== null && ` of ${total.toLocaleString('en')}`}
      </span>
      <Button disabled={isLast} onClick={() => onGo(offset + size)}>
        {after}
      </Button>
    </nav>
  );
}
