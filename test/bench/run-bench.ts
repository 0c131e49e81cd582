import { spawnSync } from 'node:child_process';

/* `npm run bench` counts and compares everything; `npm run bench -- writers` runs one benchmark of its own. */

const benchmarks: Readonly<Record<string, { command: readonly [string, ...string[]]; env?: Record<string, string> }>> =
  {
    /** Counts of every operation, growth, ratios to a bare script, load times. */
    all: { command: ['vitest', 'run', '--no-file-parallelism', 'test/bench'], env: { BENCH: '1' } },
    writers: { command: ['vitest', 'run', 'test/bench/many-writers.test.ts'], env: { BENCH: '1' } },
    audit: { command: ['node', 'test/bench/audit-pages.ts'] },
    peers: { command: ['vitest', 'run', 'test/bench/peers/peers.test.ts'], env: { PEERS: '1' } },
    load: { command: ['node', 'test/bench/load-ratio.ts'] },
    cli: { command: ['node', 'test/bench/cli-start.ts'] },
  };

const [name = 'all', ...args] = process.argv.slice(2);
const benchmark = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined;
if (benchmark === undefined) {
  console.error(`There is no benchmark ${name}. There are: ${Object.keys(benchmarks).join(', ')}.`);
  process.exitCode = 2;
} else {
  const [command, ...fixed] = benchmark.command;
  const { status } = spawnSync(command, [...fixed, ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...benchmark.env },
  });
  process.exitCode = status ?? 1;
}
