import { Option } from 'commander';
import { secretKeyPattern, secretKeyRule } from '../../../../lib/contracts/fields/secret-rules.ts';
import { usage } from '../failure.ts';

/* Parsers throw their own failures, because commander's would quote the input, which may contain a value. */

const maxInteger = 9_007_199_254_740_991;

export function integer(minimum: number, maximum = maxInteger) {
  return (text: string): number => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw usage(`Expected a whole number from ${minimum}${maximum === maxInteger ? '' : ` to ${maximum}`}.`);
  };
}

/** Never quotes the input: `KEY=value` contains a value. */
export function secretKey(text: string): string {
  if (secretKeyPattern.test(text)) return text;
  if (text.includes('=')) {
    throw usage(
      'A value is never an argument: others could read it in the process list.',
      'Pipe it in: holdfast set KEY < file',
    );
  }
  throw usage(`A key ${secretKeyRule}.`);
}

export const secretKeys = (text: string, before: string[] = []): string[] => [
  ...before,
  ...text.split(',').map(secretKey),
];

export const onlyOption = () => new Option('--only <keys>', 'only these keys, comma-separated').argParser(secretKeys);
export const revisionOption = () => new Option('--revision <number>', 'read this revision').argParser(integer(0));
export const dryRunOption = () => new Option('--dry-run', 'show what would change without changing it');
export const yesOption = () => new Option('-y, --yes', 'answer yes instead of being asked');
export const allOption = () => new Option('--all', 'show every key, however many there are');
export const messageOption = () =>
  new Option('-m, --message <text>', 'reason for the change, shown in the revision list and the audit log');
export const ifRevisionOption = () =>
  new Option('--if-revision <number>', 'fail unless the environment is at this revision').argParser(integer(0));
export const cacheOption = () => new Option('--cache', 'keep an encrypted copy for offline use (or HOLDFAST_CACHE=1)');
export const offlineOption = () => new Option('--offline', 'read the cached copy and send no requests');
