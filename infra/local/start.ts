import { StartError } from './machine/start-error.ts';

/*
 * `npm start`. It listens on PORT (3000; 0 picks a free one), keeps its data in DATA_DIR (`.local`; `memory` keeps
 * nothing) and accepts every setting of the service. Progress goes to stderr; stdout gets one line when the stack is
 * ready.
 */

process.on('SIGTERM', () => void stop());
process.on('SIGINT', () => void stop());
process.on('SIGHUP', () => void stop());
// Lambda would replace the function's environment and carry on, so the stack keeps running too.
process.on('uncaughtException', error => console.error('A function failed outside of its invocation:', error));
// The parent process may have closed its end of the pipes.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

const starting = start();
let stopping: Promise<void> | undefined;

async function start() {
  const builds: Promise<unknown>[] = [];
  try {
    const port = portOf(process.env.PORT);
    // Imported only here, because loading the SDK takes a moment and signals must already be handled.
    const [{ startLocalStack }, { buildDashboard }, { buildDownloads }] = await Promise.all([
      import('./stack.ts'),
      import('#clients/dashboard/build.ts'),
      import('#clients/cli/build-downloads.ts'),
    ]);
    const dashboard = buildDashboard();
    const downloads = buildDownloads();
    builds.push(dashboard, downloads);
    const stack = await startLocalStack({
      port,
      dataDir: process.env.DATA_DIR || '.local',
      report: line => console.error(line),
      preload: true,
      dashboard,
      downloads,
      // Passkeys work for a name, not for an address.
      hostName: 'localhost',
    });
    void stack.failed.then(sentence => {
      console.error(sentence);
      process.exit(1);
    });
    console.log(`ready ${stack.url}`);
    const { origin } = stack;
    console.error(`The dashboard: ${origin}`);
    console.error('The command line, from another terminal:');
    console.error(`  curl -fsS ${origin}/install.sh | sh`);
    console.error(`  holdfast login --url ${origin}`);
    return stack;
  } catch (error) {
    // Esbuild's own process prints a stack trace if this one ends before it has answered its plugins.
    await Promise.allSettled(builds);
    const reason = error instanceof Error ? error.message : String(error);
    console.error(error instanceof StartError ? reason : `The local stack cannot start: ${reason}`);
    process.exit(1);
  }
}

/** A terminal and npm may both send the same signal. Only the first one counts. */
function stop(): Promise<void> {
  stopping ??= (async () => {
    const stack = await starting;
    await stack.stop();
    process.exit(0);
  })();
  return stopping;
}

function portOf(text = ''): number {
  if (text === '') return 3000;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new StartError(`PORT must be a number from 0 to 65535, not "${text}".`);
}
