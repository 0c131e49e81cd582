import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // One DynamoDB Local and one set of stand-ins for the whole run; each test file has a table and queues of its own.
    globalSetup: ['test/support/backends.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
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
