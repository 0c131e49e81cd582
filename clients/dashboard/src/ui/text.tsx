import type { EnvironmentType } from '../../../../lib/contracts/fields/environment-type.ts';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const full = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
];

export function ago(at: string): string {
  const seconds = (Date.parse(at) - Date.now()) / 1000;
  if (Math.abs(seconds) < 60) return 'just now';
  const unit = steps.findLast(([, size]) => Math.abs(seconds) >= size) ?? (['minute', 60] as const);
  if (Math.abs(seconds) > 30 * 86_400) return day.format(Date.parse(at));
  return relative.format(Math.round(seconds / unit[1]), unit[0]);
}

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={full.format(Date.parse(at))}>
      {ago(at)}
    </time>
  );
}

export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? singular : plural}`;
}

/** An environment by its shape and its word; its color only repeats them. */
export function EnvironmentMark({ type, name }: { type: EnvironmentType; name: string }) {
  return (
    <span class={`environment-mark ${type}`}>
      <svg viewBox="0 0 12 12" aria-hidden="true">
        {type === 'development' && <circle cx="6" cy="6" r="4.6" />}
        {type === 'staging' && <path d="M6 .8 11.2 6 6 11.2.8 6z" />}
        {type === 'production' && <path d="M1 1h10v10H1z" />}
      </svg>
      {name}
    </span>
  );
}
