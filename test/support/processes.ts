import { globSync } from 'node:fs';
import { join } from 'node:path';

/** Folders whose test files share a process: each finds its modules loaded, and its code compiled, by those before it. */
const sharedFolders = ['attacks', 'functions', 'infra/plan', 'infra/stacks', 'lib', 'model'];

/** Files in them that need modules that no other test has used. */
const ownProcess = [
  'test/attacks/fair-share.test.ts',
  'test/attacks/memory.test.ts',
  'test/lib/access/credential-key.test.ts',
];

/** The test files that share a process, by their paths. */
export const sharedTests: readonly string[] = sharedFolders
  .flatMap(folder => globSync(`test/${folder}/**/*.test.ts`, { cwd: join(import.meta.dirname, '../..') }))
  .filter(file => !ownProcess.includes(file));
