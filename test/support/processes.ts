import { words } from './words.ts';

/** Test files that need unused modules, change the time for all, or measure memory. All others share one process. */
export const ownProcess = words(`test/attacks/fair-share.test.ts test/attacks/memory.test.ts test/bench/**/*.test.ts
  test/infra/build/bundles.test.ts test/lib/access/credential-key.test.ts test/lib/metrics/certificate-end.test.ts
  test/lib/secrets/engine/kept-snapshots.test.ts`);
