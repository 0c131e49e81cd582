import { ago, fullTime } from './time.tsx';
import './due-date.css';

const dayMs = 24 * 60 * 60 * 1000;

/** For how long before it a due date is shown beside a key. */
export const nearDays = 30;

export const isNear = (dueAt: string | null | undefined): dueAt is string =>
  typeof dueAt === 'string' && Date.parse(dueAt) - Date.now() <= nearDays * dayMs;

function wordsFor(at: string, leftMs: number): string {
  if (Math.abs(leftMs) < 60_000) return 'due now';
  return `${leftMs < 0 ? 'was due' : 'due'} ${ago(at)}`;
}

/** When a value has to be renewed: `due in 3 days`, or `was due 3 days ago`. */
export function DueDate({ at }: { at: string }) {
  const left = Date.parse(at) - Date.now();
  return (
    <time class={`due ${left <= 0 ? 'over' : isNear(at) ? 'near' : ''}`} dateTime={at} title={fullTime(at)}>
      {wordsFor(at, left)}
    </time>
  );
}
