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
  const { variables, set } = variablesOf(parent, isWindows);
  const refusals: Refusal[] = [];
  const first = new Map<string, string>();
  for (const [key, value] of entries) {
    const name = isWindows ? key.toUpperCase() : key;
    const other = first.get(name);
    first.set(name, key);
    if (other !== undefined) refusals.push({ key, reason: `and ${other} are one variable on Windows` });
    if (name === revisionName) refusals.push({ key, reason: 'is set by run itself' });
    if (value.includes('\0')) refusals.push({ key, reason: nul });
    if (isWindows && value.length > mostCharacters) {
      refusals.push({ key, reason: `is longer than a variable can be on Windows (${mostCharacters} characters)` });
    }
    if (name !== revisionName) {
      refusals.push(...refuseDangerous([key], { allowed, option: allowNameFlag }, { ignoresCase: isWindows }));
    }
    set(key, value);
  }
  set(revisionName, revisions);
  return { variables, refusals, unusual: entries.map(([key]) => key).filter(key => !isName(key)) };
}

/** Those of this process. The command gets its secrets, not the means to get others. */
function variablesOf(parent: Surroundings['parent'], isWindows: boolean) {
  const variables: Record<string, string> = Object.create(null);
  const set = (name: string, value: string) => {
    // Two spellings of a name are one variable there, and Windows would decide which of them counts.
    const same = (one: string) => one !== name && one.toUpperCase() === name.toUpperCase();
    for (const other of isWindows ? Object.keys(variables).filter(same) : []) delete variables[other];
    variables[name] = value;
  };
  for (const [name, value] of Object.entries(parent)) {
    if (value !== undefined && !isWithheld(name, isWindows)) variables[name] = value;
  }
  return { variables, set };
}
