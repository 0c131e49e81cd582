import type { Format } from './format.ts';

/** One object of all values. */
export const json: Format = {
  isData: true,
  refuses: () => undefined,
  write: entries =>
    `{${entries.map(([key, value]) => `\n  ${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(',')}\n}\n`,
};
