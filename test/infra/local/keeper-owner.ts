import { startKept } from '../../../infra/local/keeper.ts';

/* A process for the keeper's test to kill: it keeps a `sleep`, and prints its pid. */
const kept = await startKept('sleep', [process.argv[2] ?? '60'], process.argv[3]);
process.stdout.write(`${kept.pid}\n`);
setInterval(() => undefined, 1000);
