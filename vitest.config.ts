import { configDefaults, defineConfig } from 'vitest/config';
import { proofPatterns } from './test/proofs/proofs.ts';
import { ownProcess } from './test/support/processes.ts';

const common = {
  setupFiles: ['test/support/set-up.ts'],
  pool: 'forks' as const,
  // These only end what would never pass, however busy the machine is.
  testTimeout: 300_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 100_000 } },
};
// WITHOUT_PROOFS is set by `npm run check`. The proofs run after it, by `npm run proof`.
const exclude = [...configDefaults.exclude, ...(process.env.WITHOUT_PROOFS === '1' ? proofPatterns : [])];

export default defineConfig({
  test: {
    // One DynamoDB Local for the whole run; each test file has a table and queues of its own.
    globalSetup: ['test/support/backends.ts'],
    maxWorkers: 3,
    // A test that leaves a promise to fail by itself is a failing test.
    dangerouslyIgnoreUnhandledErrors: false,
    projects: [
      {
        test: {
          ...common,
          name: 'shared process',
          isolate: false,
          setupFiles: [...common.setupFiles, 'test/support/share-process.ts'],
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, ...ownProcess],
        },
      },
      {
        test: {
          ...common,
          name: 'own process',
          include: [...ownProcess],
          exclude,
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['lib/**/*.ts', 'functions/**/*.ts', 'infra/**/*.ts'],
      reporter: ['text-summary'],
    },
  },
});
