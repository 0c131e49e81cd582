import { fstatSync, fsyncSync } from 'node:fs';
import { auditFeed, type FeedOptions, type FeedPage, type HoldfastError } from '@holdfast/sdk';
import { usage } from '../failure.ts';
import { readIfThere, writePrivately } from '../files.ts';
import { given } from '../given.ts';
import type { Session } from '../session.ts';

interface Printing {
  /** Contains the cursor to resume after, and is updated with each later one. */
  cursorFile: string | undefined;
  /** @param isFirst whether nothing was printed before, in this run or one that it resumes */
  print: (entries: FeedPage['entries'], isFirst: boolean) => void;
}

/** Prints entries as they come, until a signal ends it. The cursor is stored after the entries before it are printed. */
export async function follow(session: Session, options: FeedOptions, { cursorFile, print }: Printing): Promise<void> {
  const { output } = session;
  const [client, organizationId] = [await session.client(), await session.organizationId()];
  // The feed says what it does during an outage.
  session.silenceRetries();
  const stop = new AbortController();
  const end = () => stop.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
  let outage: string | undefined;
  const onError = ({ message }: HoldfastError) => {
    if (outage !== message) output.warn(`holdfast: ${message} Trying again until the service responds.`);
    outage = message;
  };
  const stored = cursorFile === undefined ? undefined : storedCursor(cursorFile);
  const after = stored ?? options.after;
  const feed = begin(stored === undefined ? '--after' : String(cursorFile), () =>
    auditFeed(client, organizationId, { ...options, ...given({ after }), onError, signal: stop.signal }),
  );
  let isFirst = after === undefined;
  for await (const { entries, cursor, missing } of feed) {
    if (outage !== undefined) output.warn('holdfast: The service responds again.');
    outage = undefined;
    if (missing !== undefined) {
      output.warn(
        `holdfast: Entries between ${missing.from} and ${missing.to} are no longer retained; if there were any, they are missing.`,
      );
    }
    print(entries, isFirst);
    isFirst = false;
    if (cursorFile !== undefined) {
      // What was printed has to be on the disk before its cursor is.
      if (fstatSync(1).isFile()) fsyncSync(1);
      writePrivately(cursorFile, `${cursor}\n`);
    }
  }
}

/** @param source where the cursor comes from */
function begin<T>(source: string, start: () => T): T {
  try {
    return start();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw usage(`${source} contains no audit log cursor.`);
  }
}

function storedCursor(path: string): string | undefined {
  const text = readIfThere(path)?.toString().trim();
  return text === '' ? undefined : text;
}
