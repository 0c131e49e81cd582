import { readFileSync } from 'node:fs';
import { exitCodes, Failure } from '../failure.ts';
import { isWithheld } from '../withheld.ts';
import type { Inherited } from './inherited.ts';

/** Node puts it in place of bytes that are not UTF-8, in arguments as in variables. */
const replacement = '\ufffd';

/**
 * The command would get other bytes than this process did. A shell that executes the command itself passes on the bytes
 * that it has, so then only the name counts, by which this process finds the program.
 * @throws Failure naming every argument and variable whose bytes are not UTF-8
 */
export function requireUtf8(
  command: readonly string[],
  variables: Readonly<Record<string, string | undefined>>,
  { awaitsPlan, notUtf8 }: Pick<Inherited, 'awaitsPlan' | 'notUtf8'>,
): void {
  const parent = awaitsPlan ? {} : variables;
  const suspects = [
    ...command
      .slice(0, awaitsPlan ? 1 : undefined)
      .flatMap((text, index) => (text.includes(replacement) ? [{ name: '', text, index }] : [])),
    ...Object.entries(parent).flatMap(([name, value = '']) => {
      const text = `${name}=${value}`;
      return !isWithheld(name) && text.includes(replacement) ? [{ name, text, index: 0 }] : [];
    }),
  ];
  const changed = suspects.filter(({ name, text }) => !isGenuine(name === '' ? 'cmdline' : 'environ', text));
  const named = changed.map(({ name, index }) => {
    if (name !== '') return `the variable ${name}`;
    return index === 0 ? 'the command’s name' : `argument ${index} of the command`;
  });
  // Some shells have passed them on, too.
  const all = [...new Set([...named, ...notUtf8.map(name => `the variable ${name}`)])];
  if (all.length === 0) return;
  throw new Failure(
    exitCodes.notRun,
    'not_utf8',
    `The command was not run, because these are not UTF-8 and would change:\n  ${all.join('\n  ')}`,
    { hint: 'Rewrite them as UTF-8, or leave variables out: env -u NAME holdfast run …' },
  );
}

/** Whether this process was given exactly this text. Only Linux still has the bytes. */
function isGenuine(file: 'cmdline' | 'environ', text: string): boolean {
  try {
    const bytes = readFileSync(`/proc/self/${file}`);
    return Buffer.concat([Buffer.from([0]), bytes]).includes(Buffer.from(`\0${text}\0`));
  } catch {
    return false;
  }
}
