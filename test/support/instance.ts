import { startLocalStack } from '#infra/local/stack.ts';

/*
 * Another instance of the service, in a process of its own, on the table, key and queues of the test that starts it.
 * Prints its address, and stops when its standard input ends.
 */

const stack = await startLocalStack({ port: 0, dataDir: 'memory', preload: true });
process.stdout.write(`${stack.url}\n`);
process.stdin.resume().on('end', () => void stack.stop().then(() => process.exit(0)));
