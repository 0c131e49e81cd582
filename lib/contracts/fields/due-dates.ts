/* Without zod, because the dashboard loads it. */

/** How a template describes a key for all environments of its project. */
export interface Described {
  maxAgeDays?: number | undefined;
  /** By environment id. */
  expiresAt?: Readonly<Record<string, string>> | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Whether the template says when values of the key are due, in some environment. */
export function canBeDue({ maxAgeDays, expiresAt }: Described): boolean {
  return maxAgeDays !== undefined || expiresAt !== undefined;
}

/** When the current value of a key is due: at the end of its age, or when it expires, whichever is earlier. Pure. */
export function dueAtOf({ maxAgeDays, expiresAt }: Described, environmentId: string, writtenAt: string): string | null {
  const ends = [
    ...(maxAgeDays === undefined ? [] : [Date.parse(writtenAt) + maxAgeDays * dayMs]),
    ...(expiresAt?.[environmentId] === undefined ? [] : [Date.parse(expiresAt[environmentId])]),
  ];
  return ends.length === 0 ? null : new Date(Math.min(...ends)).toISOString();
}
