import { nul } from '@holdfast/contracts/fields/formats/format.ts';
import { valueProblem } from '@holdfast/contracts/fields/secret-rules.ts';
import { exitCodes, Failure, usage } from '../failure.ts';
import { generated } from '../generate.ts';
import { invisibleNotes, valueIn } from '../one-value.ts';
import { readSecrets } from '../secrets-file.ts';
import type { Session } from '../session.ts';
import { decode, readBytes } from '../standard-input.ts';

export interface ValueFlags {
  generate?: number;
  alphabet?: string[];
  stdin?: boolean;
}

const defaultLength = 32;

/** The new values of a rotation, by key. @throws Failure if one can't be a value, or a variable of a script */
export async function newValues(
  session: Session,
  keys: readonly string[],
  { generate = defaultLength, alphabet, stdin = false }: ValueFlags,
): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  if (!stdin) for (const key of keys) values.set(key, await generated(generate, alphabet));
  else for (const [key, value] of await readValues(session, keys)) values.set(key, value);
  for (const [key, value] of values) {
    const problem = value.includes('\0') ? nul : valueProblem(value);
    if (problem === undefined) continue;
    throw new Failure(exitCodes.other, 'invalid_value', `The value of ${key} ${problem}.`);
  }
  for (const note of invisibleNotes(values)) session.output.warn(note);
  return values;
}

/** One value as it is, as for `set`; several by their keys, as for `push`. */
async function readValues({ output, terminal }: Session, keys: readonly string[]): Promise<Map<string, string>> {
  const [key = '', ...others] = keys;
  const bytes = await readBytes(terminal);
  if (others.length === 0) {
    const { value, changes } = valueIn(key, bytes, 'Standard input', {});
    for (const change of changes) output.note(change);
    return new Map([[key, value]]);
  }
  const values = await readSecrets('-', decode(bytes, 'Standard input'), { asIs: true });
  const missing = keys.filter(one => !values.has(one));
  const excess = [...values.keys()].filter(one => !keys.includes(one));
  if (missing.length === 0 && excess.length === 0) return values;
  throw usage(
    [
      ...(missing.length > 0 ? [`Standard input has no value for ${missing.join(', ')}.`] : []),
      ...(excess.length > 0 ? [`It has values that are not to be rotated: ${excess.join(', ')}.`] : []),
    ].join(' '),
    'Several keys are read as lines of KEY=value, or JSON. Nothing was changed.',
  );
}
