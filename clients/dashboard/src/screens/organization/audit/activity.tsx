import { readingActions } from 'virtual:contracts';
import type { AuditEntry } from '@holdfast/contracts/audit/entries.ts';
import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { call } from '../../../api.ts';
import { useLoad } from '../../../load.ts';
import { Await } from '../../../ui/await.tsx';
import { count } from '../../../ui/count.ts';
import { HourChart } from '../../../ui/hour-chart.tsx';
import { Table } from '../../../ui/table.tsx';
import { fullTime } from '../../../ui/time.tsx';
import { type Filters, filtered } from './filters.ts';

const hourMs = 3_600_000;
/** The most entries that one request returns. The chart makes one request. */
const mostEntries = 500;
const hoursWithoutPeriod = 24;
const mostHours = 7 * 24;

interface ActivityProps {
  organization: OwnOrganization;
  filters: Filters;
}

/** The period of the chart: that of the filters, at most the last week of it; without one, the last day. Pure. */
export function chartPeriod({ since, until }: Filters, nowMs: number): { fromMs: number; toMs: number } {
  const toMs = Math.min(nowMs, until === undefined ? nowMs : Date.parse(until));
  const hours = since === undefined ? hoursWithoutPeriod : mostHours;
  return { fromMs: Math.max(toMs - hours * hourMs, since === undefined ? 0 : Date.parse(since)), toMs };
}

/** Reads and changes by hour. */
export function Activity({ organization, filters }: ActivityProps) {
  const loaded = useLoad(JSON.stringify([organization.id, filters]), async signal => {
    const { fromMs, toMs } = chartPeriod(filters, Date.now());
    const period = { since: new Date(fromMs).toISOString(), until: new Date(toMs).toISOString() };
    const { entries, pagination } = await call('GET /v1/audit/{orgId}', {
      params: { orgId: organization.id },
      query: { ...filters, ...period, limit: mostEntries },
      signal,
    });
    const isWhole = pagination.total === entries.length;
    const oldest = entries.at(-1);
    return { entries, isWhole, toMs, fromMs: isWhole || oldest === undefined ? fromMs : Date.parse(oldest.createdAt) };
  });
  return (
    <Await of={loaded} rows={2}>
      {activity => <Chart {...activity} />}
    </Await>
  );
}

interface Counted {
  entries: readonly AuditEntry[];
  /** Whether these are all entries of the period. Otherwise, they are the newest ones, from `fromMs` on. */
  isWhole: boolean;
  fromMs: number;
  toMs: number;
}

const isRead = ({ action }: AuditEntry) => readingActions.some(reading => reading === action);

/** Reads and changes of each hour that has a part in the period, oldest first. Pure. */
export function byHour({ entries, fromMs, toMs }: Omit<Counted, 'isWhole'>) {
  const first = Math.floor(fromMs / hourMs);
  const last = Math.max(first, Math.ceil(toMs / hourMs) - 1);
  const hours = Array.from({ length: last - first + 1 }, (_, index) => {
    return { startsAt: new Date((first + index) * hourMs).toISOString(), reads: 0, changes: 0 };
  });
  for (const entry of entries) {
    const hour = hours[Math.floor(Date.parse(entry.createdAt) / hourMs) - first];
    if (hour !== undefined) hour[isRead(entry) ? 'reads' : 'changes'] += 1;
  }
  return hours;
}

function Chart(counted: Counted) {
  const { entries, fromMs, toMs } = counted;
  const hours = byHour(counted);
  const reads = entries.filter(isRead).length;
  const sum = `${count(reads, 'read')} and ${count(entries.length - reads, 'change')}`;
  const [from, to] = [fullTime(new Date(fromMs).toISOString()), fullTime(new Date(toMs).toISOString())];
  return (
    <div class="activity">
      {entries.length > 0 && (
        <HourChart
          label={`${sum} by hour, from ${from} to ${to}. The table below has the numbers.`}
          slots={hours.map(hour => ({ all: hour.reads + hour.changes, part: hour.changes }))}
          part="changed"
        >
          <span>{from}</span>
          <span>{to}</span>
        </HourChart>
      )}
      <p class="hint">
        {entries.length > 0 && (
          <span class="legend">
            <span class="key-of-reads">{count(reads, 'read')}</span>
            <span class="key-of-changes">{count(entries.length - reads, 'change')}</span>
          </span>
        )}
        {coverage(counted, from, to)}
      </p>
      {entries.length > 0 && (
        <details>
          <summary>As a table</summary>
          <Table
            caption="Reads and changes by hour"
            rows={hours.filter(hour => hour.reads + hour.changes > 0).toReversed()}
            keyOf={({ startsAt }) => startsAt}
            columns={[
              { title: 'Hour', cell: ({ startsAt }) => <a href={hourAddress(startsAt)}>{fullTime(startsAt)}</a> },
              { title: 'Reads', number: true, cell: hour => hour.reads.toLocaleString('en') },
              { title: 'Changes', number: true, cell: hour => hour.changes.toLocaleString('en') },
            ]}
          />
        </details>
      )}
    </div>
  );
}

/** What the chart counts, and what it leaves out. */
function coverage({ entries, isWhole }: Counted, from: string, to: string): string {
  if (entries.length === 0)
    return `${isWhole ? 'No matching entry' : 'Nothing found so far'} between ${from} and ${to}.`;
  const counted = isWhole
    ? 'by hour.'
    : `by hour, of the newest ${count(entries.length, 'entry', 'entries')}: there are more before ${from}.`;
  return `${counted} Uses of values count as reads, everything else as changes.`;
}

const hourAddress = (since: string) => filtered({ since, until: new Date(Date.parse(since) + hourMs).toISOString() });
