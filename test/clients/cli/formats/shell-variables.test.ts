import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Entry, type Format, isName } from '#lib/contracts/fields/formats/format.ts';
import { formats } from '#lib/contracts/fields/formats/formats.ts';

const directory = mkdtempSync(join(tmpdir(), 'holdfast-shells-'));
afterAll(() => rmSync(directory, { recursive: true }));

const printer = join(directory, 'print.mjs');
writeFileSync(printer, 'process.stdout.write(JSON.stringify(process.env));');

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

function output([program = '', ...args]: string[], script: string): string {
  const env = { PATH: process.env.PATH ?? '', HOME: directory };
  return execFileSync(program, [...args, '-c', script], { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Variables with a meaning in some shells that a new shell does not set. */
const wellKnown =
  `BASH_ENV CDPATH ENV FPATH GLOBIGNORE HISTFILE HOME IFS INFOPATH LANG LC_ALL LC_CTYPE LD_LIBRARY_PATH LOGNAME
  MAIL MAILPATH MANPATH MY_PATH OLDPWD OPTARG POSIXLY_CORRECT PROMPT_COMMAND PS1 PS2 PS4 PWD SHELL TERM TIMEFORMAT TMOUT TZ
  USER fish_color_command fish_function_path`.split(/\s+/);

describe.each(shells)('%s', (_, command, names, source, name) => {
  const isMissing = spawnSync('sh', ['-c', `command -v ${command[0]}`]).status !== 0;
  if (isMissing) process.stderr.write(`SKIPPED: ${command[0]} is not installed\n`);

  it.skipIf(isMissing).each(['a b::/c:', '', '7', 'x\ny'])(
    'passes every accepted name unchanged to its children, in %j',
    value => {
      const format = formats[name] as Format;
      const own = output(command, names)
        .split('\n')
        .map(line => line.split('=')[0] as string);
      const entries = [...new Set([...own, ...wellKnown])]
        .filter(key => isName(key) && format.refuses(key, value) === undefined)
        .map((key): Entry => [key, value]);
      expect(entries.length).toBeGreaterThan(15);
      const file = join(directory, 'file');
      writeFileSync(file, format.write(entries, { project: 'p', environment: 'e' }));
      const seen = JSON.parse(output(command, `${source} ${file}; exec ${process.execPath} ${printer}`));
      expect(entries.filter(([key]) => seen[key] !== value).map(([key]) => [key, seen[key]])).toEqual([]);
    },
  );
});
