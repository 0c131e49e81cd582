import { forgetSettings } from '../../lib/core/settings.ts';

const initial = { ...process.env };

/** Takes back what a test file left in the environment. */
export function resetEnvironment(): void {
  for (const name of Object.keys(process.env)) if (!(name in initial)) delete process.env[name];
  Object.assign(process.env, initial);
  forgetSettings();
}
