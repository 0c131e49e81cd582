const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const full = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' });
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

export const dayInWords = (at: string) => day.format(Date.parse(at));

export const fullTime = (at: string) => full.format(Date.parse(at));

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exact.format(Date.parse(at))}>
      {ago(at)}
    </time>
  );
}

export function LastUsed({ at }: { at: string | null }) {
  return at === null ? <>never</> : <Time at={at} />;
}
