import { configDefaults, defineConfig } from 'vitest/config';
import { proofPatterns } from './test/proofs/proofs.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Set by `npm run check`. The proofs run after it, by `npm run check:proof`.
    exclude:
      process.env.WITHOUT_PROOFS === '1' ? [...configDefaults.exclude, ...proofPatterns] : configDefaults.exclude,
    // One DynamoDB Local and one set of stand-ins for the whole run; each test file has a table and queues of its own.
    globalSetup: ['test/support/backends.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A test that leaves a promise to fail by itself is a failing test.
    dangerouslyIgnoreUnhandledErrors: false,
    coverage: {
      provider: 'v8',
      include: ['lib/**/*.ts', 'functions/**/*.ts', 'infra/**/*.ts'],
      reporter: ['text-summary'],
    },
  },
});
