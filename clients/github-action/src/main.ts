import { setFailed } from '@actions/core';
import { run } from './run.ts';

try {
  await run();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  setFailed(message.split('\n')[0] ?? message);
}
