import { isatty } from 'node:tty';
import { cancelled, usage } from './failure.ts';
import { forTerminal } from './printable.ts';

/** Questions to a person. */
export interface Terminal {
  /** False without a terminal or with --no-input. Nothing may be asked then. */
  readonly canAsk: boolean;
  /** False with --no-input: then a command doesn't wait for a person, not even for one in a browser. */
  readonly mayWait: boolean;
  /** Whether a command may ask before it goes on: not with --yes. */
  readonly confirms: boolean;
  /** Whether nobody has approved a change and nobody can be asked: no terminal, and no --yes. */
  readonly isUnattended: boolean;
  /** Refuses a paste of several lines, as the other questions do: they are commands that were to run afterwards. */
  ask(question: string): Promise<string>;
  /** Does not echo the input. Takes a paste of several lines as a whole. */
  askHidden(question: string): Promise<string>;
  /** True at once with --yes. */
  confirm(question: string): Promise<boolean>;
  choose(question: string, choices: readonly string[]): Promise<string>;
}

export function createTerminal({ input, yes = false }: { input: boolean; yes?: boolean }): Terminal {
  const canAsk = input && isatty(0) && isatty(2);
  return {
    canAsk,
    mayWait: input,
    confirms: canAsk && !yes,
    isUnattended: !canAsk && !yes,
    ask: readLine,
    askHidden: async question => (await import('./hidden-prompt.ts')).readHidden(forTerminal(question)),
    confirm: async question => yes || /^y(?:es)?$/i.test((await readLine(`${question} [y/N] `)).trim()),
    choose: async (question, choices) => {
      const list = choices.map((choice, index) => `  ${index + 1}  ${choice}\n`).join('');
      const answer = (await readLine(`${question}\n${list}Number or name: `)).trim();
      const chosen = choices[Number(answer) - 1] ?? choices.find(choice => choice === answer);
      if (chosen === undefined) throw usage(`“${answer}” is not in the list.`);
      return chosen;
    },
  };
}

async function readLine(question: string): Promise<string> {
  const { createInterface } = await import('node:readline');
  const { sameBurstMs } = await import('./hidden-prompt.ts');
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  // It may contain names of directories and text from a server.
  process.stderr.write(forTerminal(question));
  const lines: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  return await new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      reader.removeAllListeners();
      reader.close();
      process.stdin.pause();
      settle();
    };
    const answer = () => {
      // One key can follow the answer at once, but nobody types more that fast.
      const isPaste = lines.length > 1 || reader.line.length > 1;
      end(() => (isPaste ? reject(pasted()) : resolve(lines[0] ?? '')));
    };
    reader.on('line', line => {
      lines.push(line);
      clearTimeout(timer);
      timer = setTimeout(answer, sameBurstMs);
    });
    reader.on('SIGINT', () => end(() => process.kill(process.pid, 'SIGINT')));
    reader.on('close', () => (lines.length > 0 ? answer() : end(() => reject(cancelled()))));
  });
}

const pasted = () =>
  usage(
    'More lines were pasted with the answer. None of them ran, and nothing was changed.',
    'Run the command again, answer by hand, and paste them afterwards.',
  );
