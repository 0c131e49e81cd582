import { maximumAgeDays } from '@holdfast/contracts/fields/age-days.ts';
import { dotenvDialects } from '@holdfast/contracts/fields/dotenv-import.ts';
import { secretKeyPattern, secretKeyRule } from '@holdfast/contracts/fields/secret-rules.ts';
import { Argument, Option } from './define-command.ts';
import { isId } from './evidence/ids.ts';
import { usage } from './failure.ts';
import { given } from './given.ts';
import { checkSlug } from './settings/settings-file.ts';

/* Parsers throw their own failures, because commander's would quote the input, which may contain a value. */

const maxInteger = 9_007_199_254_740_991;

export function integer(minimum: number, maximum = maxInteger) {
  return (text: string): number => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw usage(`Expected a whole number from ${minimum}${maximum === maxInteger ? '' : ` to ${maximum}`}.`);
  };
}

/** A number of days, such as `90d`. */
export function days(minimum: number) {
  return (text: string): number => {
    const [, digits] = /^(\d{1,4})d$/.exec(text) ?? [];
    const value = Number(digits);
    if (value >= minimum && value <= maximumAgeDays) return value;
    throw usage(`Expected a number of days from ${minimum} to ${maximumAgeDays}, such as 90d.`);
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

/** Never quotes the input, which may be a token instead of its id. */
export function id(text: string): string {
  if (isId(text)) return text;
  throw usage(
    'Expected an id, such as 1c9f6a30-58d2-4b7e-8a41-90e3d7c2b5f6.',
    'The dashboard and the audit log show ids.',
  );
}

export const secretKeys = (text: string, before: string[] = []): string[] => [
  ...before,
  ...text.split(',').map(secretKey),
];

export const keyArgument = new Argument('<key>', 'key of the secret').argParser(secretKey);

export const onlyOption = new Option('--only <keys>', 'only these keys, comma-separated').argParser(secretKeys);
export const allowNameOption = new Option(
  '--allow-name <keys>',
  'allow these keys even if they can control which code runs or whom it trusts',
).argParser(secretKeys);
export const revisionOption = new Option('--revision <number>', 'read this revision').argParser(integer(0));
export const yesOption = new Option('-y, --yes', 'don’t ask for confirmation');
export const messageOption = new Option(
  '-m, --message <text>',
  'reason for the change, shown in the revision list and the audit log',
);
export const proposeOptions = [
  new Option('--propose', 'propose the change, for others to approve'),
  new Option('--expires-in-days <number>', 'how long others can approve it (default: 7); implies --propose')
    .argParser(integer(1, 30))
    .implies({ propose: true }),
] as const;
/** Of commands that change secrets. */
export const writeOptions = [
  messageOption,
  ...proposeOptions,
  new Option('--if-revision <number>', 'fail unless the environment is at this revision').argParser(integer(0)),
] as const;
/** Of commands that carry out a plan. */
export const planOptions = [
  new Option('--dry-run', 'show what would change without changing it'),
  new Option('--all', 'show all keys, even if there are many'),
  yesOption,
] as const;
/** Of commands that list what has to get a new value. */
export const rotateFormatOption = new Option(
  '--format <format>',
  'print what to rotate: project/environment/KEY, one per line',
).choices(['rotate']);
/** Of commands that read a dotenv file. */
export const dialectOptions = [
  new Option('--dialect <tool>', 'read a dotenv file as this tool does').choices(dotenvDialects).conflicts('asIs'),
  new Option('--as-is', 'accept lines that other tools read differently'),
] as const;
export const waitOption = new Option(
  '--wait <time>',
  'how long to wait while the service limits requests, such as 90s; 0 fails at once',
)
  .env('HOLDFAST_WAIT')
  .argParser(duration)
  .default(120_000, '2m');
/** Of commands that pull values which a cached copy can provide. */
export const pullOptions = [
  onlyOption,
  revisionOption,
  new Option('--cache', 'keep an encrypted copy for offline use (or HOLDFAST_CACHE=1)'),
  new Option('--offline', 'read the cached copy and send no requests'),
  waitOption,
] as const;
/** Of commands that create a project or an environment. */
export const slugOption = new Option(
  '--slug <slug>',
  'identifier in paths; derived from the name if omitted',
).argParser((text: string) => checkSlug(text, '--slug'));
/** Of commands that create a token. */
export const accessOption = (description = 'access level of the token') =>
  new Option('--access <access>', description).choices(['names', 'read', 'write', 'full']);

/** Seconds, or with a unit. */
function duration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smh]?)$/.exec(text) ?? [];
  const ms = Number(count) * unitsMs[(unit || 's') as keyof typeof unitsMs];
  if (ms <= unitsMs.d) return ms;
  throw usage('Expected a time to wait, up to a day: seconds, or such as 90s, 2m or 1h.');
}

const unitsMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A time in ISO 8601, or an age. Without a time zone it is the local time, as in tables. @returns ISO 8601 in UTC */
function time(text: string, rule?: string): string {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  const [, date] = /^(\d{4}-\d\d-\d\d)(?:[T ][\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  // JavaScript takes the 31st of February for a day of March.
  const isDay = date !== undefined && new Date(date).toJSON()?.startsWith(date) === true;
  const ms =
    count === undefined
      ? Date.parse(isDay ? (date === text ? `${text}T00:00` : text) : '')
      : Date.now() - Number(count) * unitsMs[unit as keyof typeof unitsMs];
  if (Number.isFinite(ms)) return new Date(ms).toISOString();
  throw usage(rule ?? 'Expected a time such as 2026-01-31T09:26:53Z, or an age such as 30m, 12h or 7d.');
}

const momentRule =
  'Expected a time such as 2026-01-31T18:00, yesterday (the last midnight), or an age such as 30m, 2h or 7d.';

/** Like `time`, but not in the future; `yesterday` is the last midnight. */
function moment(text: string): string {
  if (text === 'yesterday') return new Date(new Date().setHours(0, 0, 0, 0)).toISOString();
  const today = text === 'today' ? 'Today is a whole day, and its beginning is called yesterday. ' : '';
  const at = time(text, `${today}${momentRule}`);
  if (Date.parse(at) <= Date.now()) return at;
  throw usage(`${text} is in the future.`);
}

export const atOption = new Option(
  '--at <time>',
  'the revision of that time: yesterday (the last midnight), 2026-01-31T18:00, or an age such as 2h',
).argParser(moment);

export const periodOptions = [
  new Option('--since <time>', 'only from this time on: 2026-01-31T09:26:53Z, or an age such as 12h').argParser(
    (text: string) => time(text),
  ),
  new Option('--until <time>', 'only before this time').argParser((text: string) => time(text)),
] as const;

export interface Period {
  since?: string;
  until?: string;
}

/** @throws Failure for a period that ends before it begins */
export function periodOf({ since, until }: Period): Period {
  if (since !== undefined && until !== undefined && since >= until) throw usage('--since must be before --until.');
  return given({ since, until });
}
