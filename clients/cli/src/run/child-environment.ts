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
  const { refusals } = childEnvironment(entries, '', [], {});
  return refusals.map(({ key, reason }) => `holdfast run will refuse ${key}: it ${reason}.`);
}

export function childEnvironment(
  entries: readonly Entry[],
  revisions: string,
  allowed: readonly string[],
  parent: Readonly<Record<string, string | undefined>>,
): ChildEnvironment {
  const variables: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(parent)) {
    // The command gets its secrets, not the means to get others.
    if (value !== undefined && !isWithheld(name)) variables[name] = value;
  }
  const refusals: Refusal[] = [];
  for (const [key, value] of entries) {
    if (key === 'HOLDFAST_REVISION') refusals.push({ key, reason: 'is set by run itself' });
    if (value.includes('\0')) refusals.push({ key, reason: nul });
    if (key !== 'HOLDFAST_REVISION') refusals.push(...refuseDangerous([key], { allowed, option: allowNameFlag }));
    variables[key] = value;
  }
  variables.HOLDFAST_REVISION = revisions;
  return { variables, refusals, unusual: entries.map(([key]) => key).filter(key => !isName(key)) };
}
