/** Something the person who starts the stack can mend: its message is one sentence that says what and how. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
