import type { Entry, Refusal } from '@holdfast/contracts/fields/formats/format.ts';
import { isName, nul } from '@holdfast/contracts/fields/formats/format.ts';
import { refuseDangerous } from '@holdfast/contracts/fields/refuse-dangerous.ts';
import { isWithheld } from '../withheld.ts';

export interface ChildEnvironment {
  variables: Record<string, string>;
  refusals: Refusal[];
  /** Keys that a shell can't name. */
  unusual: string[];
}

export const allowNameFlag = (key: string): string => `--allow-name ${key}`;

/** What `run` will refuse unless it is told otherwise, one line for each key. */
export function refusedByRun(entries: readonly Entry[]): string[] {
  const { refusals } = childEnvironment(entries, '', { allowed: [], parent: {} });
  return refusals.map(({ key, reason }) => `holdfast run will refuse ${key}: it ${reason}.`);
}

const revisionName = 'HOLDFAST_REVISION';
/** Of a variable of Windows. */
const mostCharacters = 32_766;

/** What a command may get, and where it gets its other variables from. */
export interface Surroundings {
  allowed: readonly string[];
  parent: Readonly<Record<string, string | undefined>>;
  isWindows?: boolean;
}

export function childEnvironment(
  entries: readonly Entry[],
  revisions: string,
  { allowed, parent, isWindows = process.platform === 'win32' }: Surroundings,
): ChildEnvironment {
  const isReserved = ([key]: Entry) => nameOf(key, isWindows) === revisionName;
  const own = entries.filter(entry => !isReserved(entry));
  const { variables, refusals } = addVariables([...own, [revisionName, revisions]], { parent, isWindows });
  for (const [key] of entries.filter(isReserved)) refusals.push({ key, reason: 'is set by run itself' });
  const keys = own.map(([key]) => key);
  refusals.push(...refuseDangerous(keys, { allowed, option: allowNameFlag }, { ignoresCase: isWindows }));
  return { variables, refusals, unusual: entries.map(([key]) => key).filter(key => !isName(key)) };
}

const nameOf = (key: string, isWindows: boolean): string => (isWindows ? key.toUpperCase() : key);

/**
 * Adds variables to those of this process that a command may have. It gets its secrets, not the means to get others.
 * On Windows, two spellings of a name are one variable, and the system would decide which of them counts.
 */
export function addVariables(
  entries: readonly Entry[],
  { parent, isWindows = process.platform === 'win32' }: Pick<Surroundings, 'parent' | 'isWindows'>,
): Pick<ChildEnvironment, 'variables' | 'refusals'> {
  const refusals: Refusal[] = [];
  const added = new Map<string, string>();
  for (const [key, value] of entries) {
    const name = nameOf(key, isWindows);
    const other = added.get(name);
    added.set(name, key);
    if (other !== undefined) refusals.push({ key, reason: `and ${other} are one variable on Windows` });
    if (value.includes('\0')) refusals.push({ key, reason: nul });
    if (isWindows && value.length > mostCharacters) {
      refusals.push({ key, reason: `is longer than a variable can be on Windows (${mostCharacters} characters)` });
    }
  }
  const variables: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(parent)) {
    const isKept = !isWithheld(name, isWindows) && !added.has(nameOf(name, isWindows));
    if (isKept && value !== undefined) variables[name] = value;
  }
  for (const [key, value] of entries) variables[key] = value;
  return { variables, refusals };
}
