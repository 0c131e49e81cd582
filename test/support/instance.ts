import { startLocalStack } from '#infra/local/stack.ts';

/* Another process on the test's table, key and queues. Prints its address, and stops when its standard input ends. */

const stack = await startLocalStack({ port: 0, dataDir: 'memory', preload: true });
process.stdout.write(`${stack.url}\n`);
process.stdin.resume().on('end', () => void stack.stop().then(() => process.exit(0)));
