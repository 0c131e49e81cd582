import { csvHeader, csvRecord } from '@holdfast/contracts/fields/formats/entry-csv.ts';
import { type AuditEntry, type AuditPage, type AuditQuery, auditLog, type FeedPage } from '@holdfast/sdk';
import { defineCommand, type FlagsOf, Option } from '../define-command.ts';
import { follow } from '../evidence/follow.ts';
import { actorIdOf, environmentIdOf, projectIdOf } from '../evidence/ids.ts';
import { usage } from '../failure.ts';
import { given } from '../given.ts';
import { id, integer, periodOf, periodOptions, secretKey } from '../options.ts';
import { someOf } from '../printable.ts';
import type { Session } from '../session.ts';
import type { GivenFlags } from '../settings/settings.ts';

/** What one request may return. */
const pageSize = 500;

const options = [
  ...periodOptions,
  new Option('--action <action>', 'only entries of this action, such as secret.pulled'),
  new Option('--actor <who>', 'only what this person (e-mail address) or identity (name) did; also by id'),
  new Option('--token <id>', 'only what was done with this token').argParser(id),
  new Option('--key <key>', 'only entries about this key, and pulls that included it').argParser(secretKey),
  new Option('--limit <number>', 'maximum number of entries (default: 50)').argParser(integer(1)),
  new Option('--all', 'all entries'),
  new Option('--offset <number>', 'skip this many of the newest entries').argParser(integer(0, 10_000)),
  new Option('--format <format>', 'print a table for a spreadsheet').choices(['csv']),
  new Option('--follow', 'print entries oldest first, then new ones, a minute after they were written'),
  new Option('--interval <seconds>', 'how often --follow polls (default: 10)').argParser(integer(1, 3600)),
  new Option('--after <cursor>', 'with --follow: resume after this document’s cursor'),
  new Option('--cursor-file <file>', 'with --follow: resume after the cursor in this file, and keep it up to date'),
] as const;

type AuditFlags = FlagsOf<typeof options> & GivenFlags;

export default defineCommand({
  name: 'audit',
  heading: 'Organize',
  position: 5,
  description: 'show who did what',
  example: 'holdfast audit --action secret.pulled --since 7d',
  options,
  run: async (session, flags) => {
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
  },
});

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
