import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { csvHeader, csvRecord } from '@holdfast/contracts/fields/formats/entry-csv.ts';
import { call } from '../../../api.ts';
import { useAction } from '../../../load.ts';
import { Button } from '../../../ui/button.tsx';
import { count } from '../../../ui/count.ts';
import { Problem } from '../../../ui/problem.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { showToast } from '../../../ui/toast.tsx';
import type { Filters } from './filters.ts';
import { newestEntries } from './newest-entries.ts';

/** What one request may return. */
const pageSize = 500;
/** A file of a browser's tab; the command line has no such limit. */
const mostEntries = 10_000;

/** Saves the entries that match the filters as a table for a spreadsheet. */
export function Download({ organization: { id, slug }, filters }: { organization: OwnOrganization; filters: Filters }) {
  const download = useAction(async () => {
    const { entries, isWhole } = await newestEntries(from => {
      const query = { ...filters, limit: pageSize, ...from };
      return call('GET /v1/audit/{orgId}', { params: { orgId: id }, query });
    }, mostEntries);
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
