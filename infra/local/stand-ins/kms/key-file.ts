import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import * as z from 'zod';
import { reasonOf, StartError } from '../../machine/start-error.ts';

const KeyFile = z.strictObject({
  keys: z.array(z.strictObject({ id: z.uuid(), material: z.base64().length(44), createdAt: z.number() })),
  aliases: z.record(z.string(), z.uuid()),
});
export type KeyFile = z.output<typeof KeyFile>;
export type MasterKey = KeyFile['keys'][number];

/**
 * Reads the master keys and their aliases; empty if the file does not exist. @throws StartError if the file is damaged
 */
export function readKeyFile(file: string | undefined): KeyFile {
  if (file === undefined || !existsSync(file)) return { keys: [], aliases: {} };
  try {
    return KeyFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const reason = error instanceof z.ZodError ? 'it does not have the expected format' : reasonOf(error);
    throw new StartError(
      `The key file ${file} is damaged (${reason}); restore it, or delete the data directory: without it the secrets cannot be decrypted.`,
    );
  }
}

/** Replaces the file atomically, so that a crash never leaves half of it. */
export function writeKeyFile(file: string | undefined, content: KeyFile): void {
  if (file === undefined) return;
  const next = `${file}.next`;
  const descriptor = openSync(next, 'w', 0o600);
  writeSync(descriptor, JSON.stringify(content));
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(next, file);
}
