/** A span of time for people, in its largest unit: `12 seconds`, `1 minute`, `3 hours`, `2 days`. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const [count, unit] =
    seconds < 60
      ? [seconds, 'second']
      : seconds < 3600
        ? [Math.floor(seconds / 60), 'minute']
        : seconds < 86_400
          ? [Math.floor(seconds / 3600), 'hour']
          : [Math.floor(seconds / 86_400), 'day'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

const longAgo = 30 * 86_400_000;

/** How long ago something was: `just now`, `2 minutes ago`. What is older than a month gets its day. */
export function age(date: Date, localTime: (date: Date) => string): string {
  const milliseconds = Date.now() - date.getTime();
  if (milliseconds > longAgo) return localTime(date).slice(0, 10);
  return milliseconds < 1000 ? 'just now' : `${span(milliseconds)} ago`;
}
