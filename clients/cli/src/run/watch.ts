import type { HoldfastError, LayeredSnapshot, WatchOptions } from '@holdfast/sdk';
import type { Output } from '../output.ts';
import type { Program } from './replace.ts';
import { type Ending, forwardSignals, type RunningChild, startChild } from './spawn.ts';

const graceMs = 10_000;

interface Watch {
  /** Yields the secrets of all layers, and again after each change of one of them. */
  snapshots: (options: WatchOptions) => AsyncIterable<LayeredSnapshot>;
  intervalMs: number;
  output: Output;
  programOf: (snapshot: LayeredSnapshot) => Program;
}

/** Runs the command and restarts it once for each new revision, until it ends by itself. @returns how it ended */
export async function runWatching({ snapshots, intervalMs, output, programOf }: Watch): Promise<Ending> {
  const stop = new AbortController();
  let running: RunningChild | undefined;
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
  const forwarding = forwardSignals(signal => {
    // Ending the command ends the watch: no revision may restart it.
    if (!['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'].includes(signal)) return;
    endedBy ??= signal;
    stop.abort();
  });
  const onError = (error: HoldfastError) =>
    output.note(`holdfast: ${error.message} The command keeps running; trying again.`);

  const follow = async () => {
    for await (const snapshot of snapshots({ intervalMs, signal: stop.signal, onError })) {
      const previous = running;
      // Check the new values first: if the command can't run with them, the old one keeps running.
      const program = programOf(snapshot);
      if (previous !== undefined) {
        output.note(`holdfast: revision ${snapshot.revision}; restarting the command.`);
        isReplacing = true;
        await endChild(previous);
        isReplacing = false;
        if (stop.signal.aborted) finish(await previous.ended);
      }
      if (isOver) return;
      const next = await startChild(program);
      running = next;
      forwarding.to(next.child);
      void next.ended.then(end => {
        if (!isReplacing && running === next) finish(end);
      });
    }
  };

  const following = follow();
  try {
    return await Promise.race([
      ended,
      // The watch ended before the command started.
      following.then(() => (running === undefined ? { code: null, signal: endedBy ?? 'SIGTERM' } : ended)),
    ]);
  } catch (error) {
    // The service refused, or the command can't run with a revision: don't leave it running on stale values.
    if (running !== undefined) await endChild(running);
    throw error;
  } finally {
    stop.abort();
    await following.catch(() => undefined);
    forwarding.stop();
  }
}

/** TERM, then KILL if it is still running 10 s later. */
async function endChild({ child, ended }: RunningChild): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await ended;
  clearTimeout(timer);
}
