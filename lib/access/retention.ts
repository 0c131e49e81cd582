const daySeconds = 86_400;

/**
 * When an entry written now expires, in epoch seconds: at the end of a day (UTC), after at least `retentionDays` whole
 * days, so that entries can be counted by expiry day. With 0 days it has already expired. Pure.
 */
export function expiryOf(nowMs: number, retentionDays: number): number {
  const today = Math.floor(nowMs / 1000 / daySeconds);
  return (retentionDays === 0 ? today : today + retentionDays + 1) * daySeconds;
}
