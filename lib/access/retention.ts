const daySeconds = 86_400;

/**
 * When an entry made now expires, in epoch seconds: at the end of a day (UTC), after at least `retentionDays` whole days.
 * So entries expire in whole days, and adding up days gives their number. 0 days: expired as it is made.
 * Pure.
 */
export function expiryOf(nowMs: number, retentionDays: number): number {
  const today = Math.floor(nowMs / 1000 / daySeconds);
  return (retentionDays === 0 ? today : today + retentionDays + 1) * daySeconds;
}
