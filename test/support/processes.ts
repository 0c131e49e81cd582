import { words } from './words.ts';

/**
 * Test files that need modules that no other test has used, that change the time for all of them, or that measure memory,
 * each in a process of its own. All others share one process, so later files find their modules loaded and compiled.
 */
export const ownProcess = words(`test/attacks/fair-share.test.ts test/attacks/memory.test.ts test/bench/**/*.test.ts
  test/infra/build/bundles.test.ts test/lib/access/credential-key.test.ts test/lib/metrics/certificate-end.test.ts
  test/lib/secrets/engine/kept-snapshots.test.ts`);
