export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

export const hourSeconds = hourMs / 1000;
export const daySeconds = dayMs / 1000;

export function epochSeconds(timeMs = Date.now()): number {
  return Math.floor(timeMs / 1000);
}

/** The epoch second at which an item expires that must be kept for these seconds: the first one after them. */
export function expiryAfter(seconds: number, timeMs = Date.now()): number {
  return Math.ceil(timeMs / 1000) + seconds;
}

export function isOver(expiresAt: number, nowMs = Date.now()): boolean {
  return expiresAt * 1000 <= nowMs;
}

/** ISO 8601 of epoch seconds. */
export function isoOfSeconds(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/** The time of a change, at least a millisecond after the previous one: writes are conditioned on `updatedAt`. */
export function laterThan(previous: string): string {
  return new Date(Math.max(Date.now(), Date.parse(previous) + 1)).toISOString();
}
