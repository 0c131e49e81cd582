import * as z from 'zod';
import { dialects } from '../../formats/dotenv/dialects.ts';
import { dotenvDialects, readDotenv } from './dotenv-import.ts';

export const DotenvText = z.string().meta({
  description:
    'Lines of `KEY=value`, with an optional `export`. Without `dialect`, unquoted values are trimmed and end at a `#` ' +
    'after white space; single quotes are literal; double quotes may span lines and support the escapes ' +
    '`\\n \\r \\t \\" \\\\ \\$`. No interpolation. A key may appear only once, whatever the dialect.',
  example: '# database\nDATABASE_HOST=db.internal.example\n',
});

export const DotenvDialect = z.enum(dotenvDialects).meta({
  description:
    'Reads the text as one tool does: `node` is `util.parseEnv` and `--env-file` of Node 24, `python` python-dotenv ' +
    '1, `docker` the `--env-file` of docker 28, `compose` an `env_file` of Docker Compose, `systemd` an ' +
    '`EnvironmentFile` (254 or later), and `sh` the assignments of a POSIX shell, which never runs anything. A line ' +
    'that the tool skips or rejects is an error, and so is a reference to a variable that no earlier line sets. ' +
    'Blank and comment lines don’t count as skipped. `strict` reads as without a dialect, but rejects every line ' +
    'that would be listed in `ambiguous`.',
  example: 'node',
});

const groups = Object.fromEntries(
  dialects.map(dialect => [
    dialect,
    z
      .int()
      .min(0)
      .meta({ description: `The group of ${dialect}.`, example: 1 }),
  ]),
) as Record<(typeof dialects)[number], z.ZodInt>;

export const AmbiguousLines = z
  .array(
    z.object({
      line: z.int().min(1).meta({ description: 'The line, from 1. Only a line feed ends a line.', example: 3 }),
      key: z.string().meta({ description: 'The key.', example: 'PASSWORD' }),
      readers: z.object(groups).meta({
        description: 'Tools with the same number read the same value; 0 means none, or part of an earlier value.',
        example: { node: 1, python: 2, docker: 2, compose: 2, systemd: 2, sh: 2 },
      }),
    }),
  )
  .meta({
    description:
      'Up to 1,000 lines that at least two tools read differently. Only with `dotenv` and without `dialect`. Tools ' +
      'that skip a line don’t count, and neither does docker, which keeps quotes, comments and blanks. A value that ' +
      'a tool would take from its environment counts as different from all others.',
    example: [],
  });
/** The field of an answer to a change by dotenv text. */
export const ambiguity = { ambiguous: AmbiguousLines.optional() };
export type AmbiguousLines = z.infer<typeof AmbiguousLines>;

export interface ReadDotenv {
  secrets: { key: string; value: string }[];
  /** Only of dotenv text without a dialect. */
  ambiguous?: AmbiguousLines | undefined;
}

/** The secrets of the fields `dotenv` and `dialect`, however many; undefined after reporting what is wrong with them. */
export function readDotenvField(
  dotenv: unknown,
  dialect: unknown,
  report: (path: string[], message: string) => void,
): ReadDotenv | undefined {
  const chosen = DotenvDialect.optional().safeParse(dialect);
  for (const { message } of chosen.error?.issues ?? []) report(['dialect'], message);
  if (typeof dotenv !== 'string') report(['dotenv'], 'must be text');
  if (typeof dotenv !== 'string' || !chosen.success) return undefined;
  const { entries, problems, ambiguous } = readDotenv(dotenv, chosen.data);
  for (const problem of problems) report(['dotenv'], `line ${problem.line} ${problem.message}`);
  if (problems.length > 0) return undefined;
  const secrets = entries.map(({ key, value }) => ({ key, value }));
  return ambiguous === undefined ? { secrets } : { secrets, ambiguous };
}
