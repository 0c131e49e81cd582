/** A problem that the person starting the stack can fix. The message is one sentence: what is wrong and what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** A short reason for an error, to embed in a sentence. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'there is a file in its place';
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'it is not writable';
  return error.message.split('\n', 1)[0] ?? '';
}
