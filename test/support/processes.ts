/**
 * Test files that need modules that no other test has used, or that change the time for all of them, each in a process
 * of its own. All others share one: each finds its modules loaded, and its code compiled, by those before it.
 */
export const ownProcess: readonly string[] = [
  'test/attacks/fair-share.test.ts',
  'test/attacks/memory.test.ts',
  'test/bench/**/*.test.ts',
  'test/infra/build/bundles.test.ts',
  'test/lib/access/credential-key.test.ts',
  'test/lib/metrics/certificate-end.test.ts',
];
