import { isatty } from 'node:tty';
import { exitCodes, Failure, usage } from './failure.ts';
import { forTerminal } from './printable.ts';

/** Questions to a person. */
export interface Terminal {
  /** False without a terminal or with --no-input. Nothing may be asked then. */
  readonly canAsk: boolean;
  /** Whether `confirm` asks: not with --yes. */
  readonly confirms: boolean;
  ask(question: string): Promise<string>;
  /** Does not echo the input. */
  askHidden(question: string): Promise<string>;
  /** True at once with --yes. */
  confirm(question: string): Promise<boolean>;
  choose(question: string, choices: readonly string[]): Promise<string>;
}

export function createTerminal({ input, yes = false }: { input: boolean; yes?: boolean }): Terminal {
  const canAsk = input && isatty(0) && isatty(2);
  const ask = (question: string) => readLine(question, false);
  return {
    canAsk,
    confirms: canAsk && !yes,
    ask,
    askHidden: question => readLine(question, true),
    confirm: async question => yes || /^y(?:es)?$/i.test((await ask(`${question} [y/N] `)).trim()),
    choose: async (question, choices) => {
      const list = choices.map((choice, index) => `  ${index + 1}  ${choice}\n`).join('');
      const answer = (await ask(`${question}\n${list}Number or name: `)).trim();
      const chosen = choices[Number(answer) - 1] ?? choices.find(choice => choice === answer);
      if (chosen === undefined) throw usage(`“${answer}” is not in the list.`);
      return chosen;
    },
  };
}

async function readLine(question: string, hidden: boolean): Promise<string> {
  const { createInterface } = await import('node:readline');
  const { Writable } = await import('node:stream');
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: hidden ? silent : process.stderr, terminal: true });
  // Print the prompt only after echo is off. It may contain names of directories and text from a server.
  process.stderr.write(forTerminal(question));
  return await new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      reader.removeAllListeners();
      reader.close();
      process.stdin.pause();
      if (hidden) process.stderr.write('\n');
      settle();
    };
    reader.on('line', line => end(() => resolve(line)));
    reader.on('SIGINT', () => end(() => process.kill(process.pid, 'SIGINT')));
    reader.on('close', () =>
      end(() => reject(new Failure(exitCodes.other, 'cancelled', 'Cancelled; nothing was done.'))),
    );
  });
}
