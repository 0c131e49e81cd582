import * as z from 'zod';
import type { MemberContext } from '../access/request-context.ts';
import { entryView, maximumAnswerBytes } from '../audit/entry-view.ts';
import { auditPartitions } from '../audit/partitions.ts';
import { earlierRetentions } from '../audit/retention.ts';
import type { StoredEntry } from '../audit/scan.ts';
import { Slug, Timestamp, Uuid } from '../contracts/fields/text.ts';
import { ExportRecord, exportFormat } from '../contracts/organizations/export-records.ts';
import { invalidRequest } from '../core/errors.ts';
import { ranges } from '../table/keys.ts';
import { at, find, type Item, queryPage, type Range } from '../table/read.ts';
import { auditPartitionsRecord, auditRecord } from '../table/records/audit.ts';
import { environmentRecord } from '../table/records/environment.ts';
import { planConfigsRecord } from '../table/records/platform.ts';
import { putAlone } from '../table/write.ts';
import { beginHistory, exportHistory, type HistoryPosition } from './export-history.ts';
import { isInHistory, itemKinds, type Portage } from './item-kinds.ts';
import type { Sealer } from './seal-values.ts';

/*
 * An export is the environments with their histories, then the other items of the organization's partition, then the
 * audit log. A position says where a page ends. It contains nothing secret, and the organization is always the caller's.
 */

const History = z.strictObject({
  project: Slug,
  env: Slug,
  id: Uuid,
  to: z.int().min(0),
  revision: z.int().min(0),
  skip: z.int().min(0),
});

const Position = z.strictObject({
  startedAt: Timestamp,
  step: z.enum(['environments', 'items', 'audit']),
  /** The sort key of the last item. */
  after: z.string().max(1024).optional(),
  /** The environment that the step has reached. */
  history: History.optional(),
  /** The partition of the audit log. */
  partition: z.int().min(0).max(auditPartitions).optional(),
});
type Position = z.infer<typeof Position>;

/** What an export needs of a request, or of an operator's command. */
type ExportSource = Pick<MemberContext, 'organization' | 'log' | 'audit'>;

/** A line of the export, or none for an item that is left out, and the position after it. */
interface Step {
  record?: ExportRecord | undefined;
  next: Position;
  value?: { projectId: string; history: HistoryPosition };
}

const maximumRecords = 1000;
/** Long before the function's timeout; the audit entries still have to be written. */
const pageMs = 10_000;
const itemsAtOnce = 50;

/**
 * The next page of an organization's export. Values leave only after their audit entries are written.
 * @throws invalid_request for an invalid position, cursor_expired if an environment was deleted during its export
 */
export async function exportPage(
  source: ExportSource,
  { sealer, after }: { sealer: Sealer; after?: string | undefined },
): Promise<{ records: ExportRecord[]; next: string | null }> {
  const begun = after === undefined ? await begin(source, sealer) : { record: undefined, next: readPosition(after) };
  const steps: Step[] = begun.record === undefined ? [] : [begun];
  let bytes = 0;
  let isLast = true;
  const endsAt = Date.now() + pageMs;
  for await (const step of walk(source, sealer, begun.next)) {
    bytes += step.record === undefined ? 0 : Buffer.byteLength(JSON.stringify(step.record)) + 1;
    isLast = bytes <= maximumAnswerBytes || steps.length === 0;
    if (isLast) steps.push(step);
    isLast = isLast && steps.length < maximumRecords && Date.now() < endsAt;
    if (!isLast) break;
  }
  await recordValues(source, steps);
  const last = steps.at(-1);
  // An undeclared field never leaves the service.
  const records = steps.flatMap(({ record }) => (record === undefined ? [] : [ExportRecord.parse(record)]));
  return { records, next: isLast || last === undefined ? null : writePosition(last.next) };
}

async function begin({ organization, audit }: ExportSource, { sealedTo }: Sealer): Promise<Step> {
  const { id, slug, name } = organization;
  const startedAt = new Date().toISOString();
  const values = sealedTo === undefined ? 'plain' : 'sealed';
  const target = { type: 'organization', id, name } as const;
  await putAlone(
    await audit({ action: 'organization.exported', target, details: { values, sealedTo: sealedTo ?? null } }),
  );
  const header = { organization: { id, slug, name }, startedAt, values, sealedTo } as const;
  return { record: { record: 'export', format: exportFormat, ...header }, next: { startedAt, step: 'environments' } };
}

async function* walk(source: ExportSource, sealer: Sealer, from: Position): AsyncGenerator<Step> {
  const { startedAt } = from;
  if (from.step === 'environments') yield* walkEnvironments(source, sealer, from);
  if (from.step !== 'audit') {
    const items: Position = from.step === 'items' ? from : { startedAt, step: 'items' };
    yield* walkItems(source, sealer, items);
  }
  yield* walkAudit(source, from.step === 'audit' ? from : { startedAt, step: 'audit' });
}

async function* itemsFrom(range: Range, after: string | undefined): AsyncGenerator<Item> {
  let startAfter = after === undefined ? undefined : { pk: range.pk, sk: after };
  do {
    const page = await queryPage({ ...range, pageSize: itemsAtOnce, startAfter });
    yield* page.items;
    startAfter = page.next;
  } while (startAfter !== undefined);
}

async function* walkEnvironments(source: ExportSource, sealer: Sealer, from: Position): AsyncGenerator<Step> {
  const { id: organizationId, slug: orgSlug } = source.organization;
  const histories = { organizationId, orgSlug, log: source.log, sealer };
  const { startedAt, step } = from;
  async function* rest(history: HistoryPosition, after: string | undefined): AsyncGenerator<Step> {
    for await (const { record, projectId, next } of exportHistory(histories, history)) {
      const value = projectId === undefined ? {} : { value: { projectId, history: next } };
      yield { record, next: { startedAt, step, after, history: next }, ...value };
    }
  }
  if (from.history !== undefined) yield* rest(from.history, from.after);
  for await (const item of itemsFrom(ranges.environments(orgSlug), from.after)) {
    const after = String(item.sk);
    const begun = await beginHistory(histories, environmentRecord.parse(item), startedAt);
    yield { record: begun?.record, next: { startedAt, step, after, history: begun?.next } };
    if (begun !== undefined) yield* rest(begun.next, after);
  }
}

async function* walkItems(
  source: ExportSource,
  sealer: Sealer,
  { startedAt, step, after }: Position,
): AsyncGenerator<Step> {
  const { organization } = source;
  const configs = await find(at(planConfigsRecord));
  const retentions = earlierRetentions(organization, configs, Date.parse(startedAt));
  const portage: Portage = { organizationId: organization.id, startedAt, retentions, sealer };
  for await (const item of itemsFrom(ranges.organization(organization.slug), after)) {
    const record = isInHistory(item.kind) ? undefined : await recordOf(item, portage);
    yield { record, next: { startedAt, step, after: String(item.sk) } };
  }
}

/** @throws Error for a kind that the export doesn't know, because leaving it out would lose it silently */
async function recordOf(item: Item, portage: Portage): Promise<ExportRecord | undefined> {
  const kind = itemKinds[String(item.kind)];
  if (kind === undefined) throw new Error(`The export of items of the kind ${String(item.kind)} is not defined.`);
  return kind.in === 'organization' ? kind.toRecord(item, portage) : undefined;
}

async function* walkAudit({ organization: { id } }: ExportSource, from: Position): AsyncGenerator<Step> {
  const { startedAt, step } = from;
  const { partitions = 1 } = (await find(at(auditPartitionsRecord, id))) ?? {};
  for (let partition = from.partition ?? 0; partition < partitions; partition += 1) {
    const after = partition === from.partition ? from.after : undefined;
    for await (const item of itemsFrom(ranges.audit(id, partition), after)) {
      const next: Position = { startedAt, step, partition, after: String(item.sk) };
      yield { record: entryRecord(item, startedAt), next };
    }
  }
}

function entryRecord(item: Item, startedAt: string): ExportRecord | undefined {
  if (item.kind !== auditRecord.kind) return undefined;
  const { createdAt, expiresAt } = auditRecord.parse(item);
  const isExpired = expiresAt !== undefined && expiresAt * 1000 <= Date.now();
  if (isExpired || createdAt >= startedAt) return undefined;
  return { record: 'audit-entry', entry: entryView(item as unknown as StoredEntry), expiresAt };
}

/** One audit entry for each environment whose values a page has, from its first revision to its last. */
async function recordValues({ audit }: ExportSource, steps: readonly Step[]): Promise<void> {
  const values = steps.flatMap(({ value }) => value ?? []);
  for (const [id, exported] of Map.groupBy(values, ({ history }) => history.id)) {
    const [first, last] = [exported[0], exported.at(-1)];
    if (first === undefined || last === undefined) continue;
    const { project, env } = first.history;
    const revision = last.history.revision;
    const facts = { environment: { id, slug: env }, revision, details: { fromRevision: first.history.revision } };
    const target = { type: 'project', id: first.projectId, name: project } as const;
    await putAlone(await audit({ action: 'organization.exported', target, ...facts }));
  }
}

function writePosition(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** @throws invalid_request */
function readPosition(text: string): Position {
  try {
    return Position.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    throw invalidRequest([{ path: 'after', message: 'must be the `next` of an earlier response' }]);
  }
}
