import type { AuditEntry } from '@holdfast/contracts/audit/entries.ts';
import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { csvHeader, csvRecord } from '@holdfast/contracts/fields/formats/entry-csv.ts';
import { type Answer, call } from '../../../api.ts';
import { useAction } from '../../../load.ts';
import { Button } from '../../../ui/button.tsx';
import { count } from '../../../ui/count.ts';
import { Problem } from '../../../ui/problem.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { showToast } from '../../../ui/toast.tsx';
import type { Filters } from './filters.ts';

/** What one request may return. */
const pageSize = 500;
/** A file of a browser's tab; the command line has no such limit. */
const mostEntries = 10_000;

/** The entries that the filters match, newest first, up to the limit. */
async function entriesOf(orgId: string, filters: Filters): Promise<{ entries: AuditEntry[]; isWhole: boolean }> {
  const entries: AuditEntry[] = [];
  let last: Answer<'GET /v1/audit/{orgId}'> | undefined;
  let isWhole = false;
  while (!isWhole && entries.length < mostEntries) {
    const from = last?.next === undefined ? { offset: entries.length } : { after: last.next };
    last = await call('GET /v1/audit/{orgId}', { params: { orgId }, query: { ...filters, limit: pageSize, ...from } });
    entries.push(...last.entries);
    isWhole = last.next === undefined && (last.pagination.total ?? 0) <= entries.length;
  }
  return { entries: entries.slice(0, mostEntries), isWhole };
}

/** Saves the entries that match the filters as a table for a spreadsheet. */
export function Download({ organization: { id, slug }, filters }: { organization: OwnOrganization; filters: Filters }) {
  const download = useAction(async () => {
    const { entries, isWhole } = await entriesOf(id, filters);
    const day = new Date().toISOString().slice(0, 10);
    saveFile(`audit-${slug}-${day}.csv`, 'text/csv', csvHeader + entries.map(csvRecord).join(''));
    const number = count(entries.length, 'entry', 'entries');
    showToast(
      isWhole
        ? `Downloaded ${number}.`
        : `Downloaded the newest ${number}. “holdfast audit --all --format csv” has all.`,
    );
  });
  return (
    <>
      <Button busy={download.busy} onClick={() => void download.run()}>
        Download CSV
      </Button>
      <Problem error={download.error} />
    </>
  );
}
