import { type AuditEntry, type AuditPage, type AuditQuery, auditLog, type FeedPage } from '@holdfast/sdk';
import { type Command, Option } from 'commander';
import { csvHeader, csvRecord } from '../evidence/entry-csv.ts';
import { follow } from '../evidence/follow.ts';
import { actorIdOf, environmentIdOf, projectIdOf } from '../evidence/ids.ts';
import { usage } from '../failure.ts';
import { given } from '../given.ts';
import { someOf } from '../printable.ts';
import type { Session } from '../session.ts';
import { id, integer, type Period, periodOf, periodOptions, secretKey } from './options.ts';

interface AuditFlags extends Period {
  action?: string;
  actor?: string;
  token?: string;
  project?: string;
  env?: string[];
  key?: string;
  limit?: number;
  all?: boolean;
  offset?: number;
  format?: 'csv';
  follow?: boolean;
  interval?: number;
  after?: string;
  cursorFile?: string;
}

/** What one request may return. */
const pageSize = 500;

export const auditOptions = (command: Command): Command =>
  periodOptions(command)
    .option('--action <action>', 'only entries of this action, such as secret.pulled')
    .option('--actor <who>', 'only what this person (e-mail address) or identity (name) did; also by id')
    .option('--token <id>', 'only what was done with this token', id)
    .option('--key <key>', 'only entries about this key, and pulls that included it', secretKey)
    .option('--limit <number>', 'maximum number of entries (default: 50)', integer(1))
    .option('--all', 'all entries')
    .option('--offset <number>', 'skip this many of the newest entries', integer(0, 10_000))
    .addOption(new Option('--format <format>', 'print a table for a spreadsheet').choices(['csv']))
    .option('--follow', 'print entries oldest first, then new ones, a minute after they were written')
    .option('--interval <seconds>', 'how often --follow polls (default: 10)', integer(1, 3600))
    .option('--after <cursor>', 'with --follow: resume after this document’s cursor')
    .option('--cursor-file <file>', 'with --follow: resume after the cursor in this file, and keep it up to date');

export async function audit(session: Session, flags: AuditFlags): Promise<void> {
  const { format, interval, after, cursorFile, limit, all, offset } = flags;
  const ofList = limit ?? all ?? offset;
  if (flags.follow === true && ofList !== undefined) throw usage('Only without --follow: --limit, --all, --offset.');
  if (flags.follow !== true && (interval ?? after ?? cursorFile) !== undefined) {
    throw usage('Only with --follow: --interval, --after, --cursor-file.');
  }
  if (format !== undefined && session.output.json) throw usage('Choose one of --format and --json.');
  const query = await filtersOf(session, flags);
  if (flags.follow !== true) return await list(session, flags, query);
  const intervalMs = interval === undefined ? undefined : interval * 1000;
  await follow(
    session,
    { ...query, ...given({ after, intervalMs }) },
    { cursorFile, print: printerOf(session, flags) },
  );
}

/** Only flags filter: a directory's own project and environment don't hide the rest of the log. */
async function filtersOf(session: Session, flags: AuditFlags): Promise<AuditQuery> {
  const { action, actor, token, project, env, key } = flags;
  return given({
    ...periodOf(flags),
    // The service knows the actions.
    action: action as AuditQuery['action'],
    actor: actor && (await actorIdOf(session, actor)),
    tokenId: token,
    project: project && (await projectIdOf(session, project)),
    environment: env && (await environmentIdOf(session, env)),
    key,
  });
}

async function list(session: Session, flags: AuditFlags, query: AuditQuery): Promise<void> {
  const { output } = session;
  const { all = false, offset = 0 } = flags;
  const limit = all ? Number.POSITIVE_INFINITY : (flags.limit ?? 50);
  const [client, organizationId] = [await session.client(), await session.organizationId()];
  const entries: AuditEntry[] = [];
  let first: AuditPage['pagination'] | undefined;
  const onPage = ({ pagination }: AuditPage) => {
    if (first === undefined) first = pagination;
    else output.progress(`Reading the audit log: ${entries.length} entries so far`);
  };
  const asked = { ...query, offset, limit: Math.min(limit, pageSize) };
  try {
    for await (const entry of auditLog(client, organizationId, asked, { onPage })) {
      entries.push(entry);
      if (entries.length >= limit) break;
    }
  } finally {
    output.progress('');
  }
  const shown = offset + entries.length;
  const isWhole = entries.length < limit && (entries.length > 0 || offset === 0);
  const total = isWhole ? shown : ((first as AuditPage['pagination'] | undefined)?.total ?? null);
  if (output.json) {
    const pagination = { limit: all ? entries.length : limit, offset, total };
    return output.document({ entries, pagination });
  }
  if (flags.format === 'csv') return output.data(csvHeader + entries.map(csvRecord).join(''));
  output.table(header, entries.map(rowWith(output.ago)), 'No entries.', optional);
  if (total === null || total > shown)
    output.note(`Shown: ${entries.length} of ${total ?? 'many'}. More: --limit, --all`);
}

const header = ['WHEN', 'WHO', 'ACTION', 'WHAT', 'FROM', 'KEYS'];
/** Left out on a narrow terminal. */
const optional = ['FROM', 'KEYS'];

const rowWith =
  (when: (iso: string) => string) =>
  ({ createdAt, actor, action, target, environment, keys, ip }: AuditEntry): string[] => [
    when(createdAt),
    actor.email ?? actor.name ?? actor.type,
    action,
    `${target.name}${environment == null ? '' : `/${environment.slug}`}`,
    ip,
    someOf(keys ?? []),
  ];

type Print = (entries: FeedPage['entries'], isFirst: boolean) => void;

function printerOf(session: Session, { format }: AuditFlags): Print {
  const { output } = session;
  if (output.json) return entries => output.data(entries.map(entry => `${JSON.stringify(entry)}\n`).join(''));
  if (format === 'csv') {
    return (entries, isFirst) => output.data((isFirst ? csvHeader : '') + entries.map(csvRecord).join(''));
  }
  return (entries, isFirst) => output.rows(header, entries.map(rowWith(output.time)), isFirst, optional);
}
