import { resetProcessMemory } from '#lib/core/process-memory.ts';

const initial = { ...process.env };

/** Restores the environment after a test file. */
export function resetEnvironment(): void {
  for (const name of Object.keys(process.env)) if (!(name in initial)) delete process.env[name];
  Object.assign(process.env, initial);
  resetProcessMemory('settings');
}
