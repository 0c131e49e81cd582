import { readFileSync } from 'node:fs';

/** Whether a process runs. One that has ended may stay until its parent collects it. */
export function isRunning(pid: string): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
