import { Option } from './define-command.ts';
import { exitCodes, Failure, usage } from './failure.ts';
import { integer } from './options.ts';
import type { Session } from './session.ts';

export const keepDaysOption = new Option('--keep-days <number>', 'for how many days it can be restored; 0: not at all')
  .argParser(integer(0, 30))
  .default(7);

/** @throws Failure if the answer is no, or nobody can be asked and there is no --yes */
export async function requireConfirmed({ terminal }: Pick<Session, 'terminal'>, question: string): Promise<void> {
  if (terminal.isUnattended) {
    throw usage('Nothing was deleted.', 'Without a terminal, deleting requires --yes.');
  }
  if (terminal.confirms && !(await terminal.confirm(question))) {
    throw new Failure(exitCodes.other, 'declined', 'Nothing was deleted.');
  }
}

/** What a deletion leaves possible. */
export function reportDeletion({ output }: Pick<Session, 'output'>, name: string, days: number, restore: string): void {
  if (days === 0) {
    output.note(`Deleted ${name}. It is being erased.`);
    return;
  }
  const until = new Date(Date.now() + days * 24 * 3600 * 1000).toISOString();
  output.note(`Deleted ${name}. It can be restored until ${output.time(until, 2)}: ${restore}`);
}
