import type { HoldfastError, LayeredSnapshot, WatchOptions } from '@holdfast/sdk';
import type { Output } from '../output.ts';
import type { Inherited } from './inherited.ts';
import { endProcesses, markVariable } from './processes.ts';
import type { Program } from './replace.ts';
import { type Ending, forwardSignals, type RunningChild, startChild } from './spawn.ts';

const graceMs = 10_000;
/** A command that ends because of Ctrl-C has ended by then. */
const noticeMs = 1_000;

interface Watch {
  /** Yields the secrets of all layers, and again after each change of one of them. */
  snapshots: (options: WatchOptions) => AsyncIterable<LayeredSnapshot>;
  intervalMs: number;
  output: Output;
  inherited: Inherited;
  programOf: (snapshot: LayeredSnapshot) => Program;
}

/** A started command, and the mark of all processes that it started. */
interface Start extends RunningChild {
  mark: string;
  /** The variables, apart from the revision. */
  content: string;
}

/** Runs the command and restarts it for each change of its variables, until it ends by itself. @returns how it ended */
export async function runWatching(watch: Watch): Promise<Ending> {
  const { snapshots, intervalMs, output, inherited, programOf } = watch;
  const stop = new AbortController();
  let running: Start | undefined;
  let isReplacing = false;
  let isOver = false;
  let finish: (end: Ending) => void = () => undefined;
  const ended = new Promise<Ending>(resolve => {
    finish = end => {
      isOver = true;
      resolve(end);
    };
  });
  let endedBy: NodeJS.Signals | undefined;
  let noticeTimer: NodeJS.Timeout | undefined;
  const noteEndOfWatch = () =>
    output.note('holdfast: Ctrl-C ended the watch. The command keeps running, but will no longer be restarted.');
  const forwarding = forwardSignals(inherited, (signal, isOnTerminal) => {
    // Ending the command ends the watch: no revision may restart it. Without a terminal, HUP means to reload.
    if (!['SIGINT', 'SIGBREAK', 'SIGTERM', 'SIGQUIT'].includes(signal) && !(signal === 'SIGHUP' && isOnTerminal))
      return;
    endedBy ??= signal;
    stop.abort();
    if (signal === 'SIGINT' && isOnTerminal) noticeTimer ??= setTimeout(noteEndOfWatch, noticeMs);
  });
  const onError = (error: HoldfastError) =>
    output.note(`holdfast: ${error.message} The command keeps running; trying again.`);

  const follow = async () => {
    for await (const snapshot of snapshots({ intervalMs, signal: stop.signal, onError })) {
      // Check the new values first: if the command can't run with them, the old one keeps running.
      const program = programOf(snapshot);
      const content = contentOf(program);
      if (running?.content === content) continue;
      if (running !== undefined) {
        output.note(`holdfast: revision ${snapshot.revision}; restarting the command.`);
        isReplacing = true;
        await endStart(running, output);
        isReplacing = false;
        if (stop.signal.aborted) finish(await running.ended);
      }
      if (isOver) return;
      const mark = `${process.pid}.${Date.now()}`;
      const variables = { ...program.variables, [markVariable]: mark };
      const next = { ...(await startChild({ ...program, variables }, inherited)), mark, content };
      running = next;
      forwarding.to(next.child);
      void next.ended.then(end => {
        if (!isReplacing && running === next) finish(end);
      });
    }
  };

  const following = follow();
  try {
    const end = await Promise.race([
      ended.finally(() => clearTimeout(noticeTimer)),
      // The watch ended before the command started.
      following.then(() => (running === undefined ? { code: null, signal: endedBy ?? 'SIGTERM' } : ended)),
    ]);
    // The signal reached only the command itself, such as `npm start`, and not what that started.
    if (endedBy !== undefined && running !== undefined) await endStart(running, output);
    return end;
  } catch (error) {
    // The service refused, or the command can't run with a revision: don't leave it running on stale values.
    if (running !== undefined) await endStart(running, output);
    throw error;
  } finally {
    clearTimeout(noticeTimer);
    stop.abort();
    await following.catch(() => undefined);
    forwarding.stop();
  }
}

function contentOf({ argv, path, variables }: Program): string {
  const { HOLDFAST_REVISION: _, ...others } = variables;
  return JSON.stringify([path, argv, others]);
}

async function endStart({ child, ended, mark }: Start, output: Output): Promise<void> {
  const left = await endProcesses(child, mark, graceMs);
  if (left.length > 0) output.warn(`holdfast: processes of the last start that can’t be ended: ${left.join(', ')}`);
  if (child.pid === undefined || !left.includes(child.pid)) await ended;
}
