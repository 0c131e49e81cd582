export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

export const hourSeconds = hourMs / 1000;
export const daySeconds = dayMs / 1000;

export const epochSeconds = (timeMs = Date.now()): number => Math.floor(timeMs / 1000);

/** The epoch second at which an item expires that must be kept for these seconds: the first one after them. */
export const expiryAfter = (seconds: number, timeMs = Date.now()): number => Math.ceil(timeMs / 1000) + seconds;

export const isOver = (expiresAt: number, nowMs = Date.now()): boolean => expiresAt * 1000 <= nowMs;

/** ISO 8601 of epoch seconds. */
export const isoOfSeconds = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** The time of a change, at least a millisecond after the previous one: writes are conditioned on `updatedAt`. */
export function laterThan(previous: string): string {
  return new Date(Math.max(Date.now(), Date.parse(previous) + 1)).toISOString();
}
