import { describe, expect, it } from 'vitest';
import { type Entry, type Format, isName } from '#lib/contracts/fields/formats/format.ts';
import { formats } from '#lib/contracts/fields/formats/formats.ts';
import { pathOf } from '../scripts/image.ts';
import { fileOf, output, printer } from './readers.ts';

/** How each shell lists its own variables, and how it reads a file. */
const shells: [name: string, command: string[], names: string, source: string, format: string][] = [
  ['bash', ['bash', '--norc'], 'compgen -v', '.', 'sh'],
  ['bash --posix', ['bash', '--posix'], 'compgen -v', '.', 'sh'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a script of zsh
  ['zsh', ['zsh', '-f'], 'print -l ${(k)parameters}', '.', 'sh'],
  ['dash', ['dash'], 'set', '.', 'sh'],
  ['busybox', ['busybox', 'sh'], 'set', '.', 'sh'],
  ['fish', ['fish', '--no-config'], 'set --names', 'source', 'fish'],
];

const runIn = ([program = '', ...args]: string[], script: string) => output(program, [...args, '-c', script]);

/** Variables with a meaning in some shells that a new shell does not set. */
const wellKnown =
  `BASH_ENV CDPATH ENV FPATH GLOBIGNORE HISTFILE HOME IFS INFOPATH LANG LC_ALL LC_CTYPE LD_LIBRARY_PATH LOGNAME
  MAIL MAILPATH MANPATH MY_PATH OLDPWD OPTARG POSIXLY_CORRECT PROMPT_COMMAND PS1 PS2 PS4 PWD SHELL TERM TIMEFORMAT TMOUT TZ
  USER fish_color_command fish_function_path`.split(/\s+/);

describe.each(shells)('%s', (_, command, names, source, name) => {
  const isMissing = pathOf(command[0] ?? '') === undefined;
  if (isMissing) process.stderr.write(`SKIPPED: ${command[0]} is not installed\n`);

  it.skipIf(isMissing).each(['a b::/c:', '', '7', 'x\ny'])(
    'passes every accepted name unchanged to its children, in %j',
    value => {
      const format = formats[name] as Format;
      const own = runIn(command, names)
        .split('\n')
        .map(line => line.split('=')[0] as string);
      const entries = [...new Set([...own, ...wellKnown])]
        .filter(key => isName(key) && format.refuses(key, value) === undefined)
        .map((key): Entry => [key, value]);
      expect(entries.length).toBeGreaterThan(15);
      const file = fileOf(format.write(entries, { project: 'p', environment: 'e' }));
      const printed = runIn(command, `${source} ${file}; exec ${process.execPath} ${printer}`);
      const read = new Map<string, string>(JSON.parse(printed));
      expect(entries.filter(([key]) => read.get(key) !== value)).toEqual([]);
    },
  );
});
