/** A problem that the person who starts the stack can fix. Its message is one sentence: what is wrong and what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** The short reason of an error, to put into one sentence. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'there is a file in its place';
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'it is not writable';
  return error.message.split('\n', 1)[0] ?? '';
}
