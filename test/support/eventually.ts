import { vi } from 'vitest';

/** Repeats a check until it passes. The limit only ends what would never pass, however busy the machine is. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 100_000, interval: 50 });
}
