import { readFileSync } from 'node:fs';
import { writeExport } from '#clients/cli/src/export-file.ts';
import { auditWrite, systemActor } from '#lib/audit/write.ts';
import { SealingKey } from '#lib/contracts/organizations/export-organization.ts';
import { openLog } from '#lib/core/logger.ts';
import type { RequestSource } from '#lib/core/request-source.ts';
import { exportPage } from '#lib/portability/export-page.ts';
import { plainValues, sealTo } from '#lib/portability/seal-values.ts';
import { at, find } from '#lib/table/read.ts';
import { organizationRecord } from '#lib/table/records/organization.ts';

/** Exports an organization with an operator's rights to the table and the key. Returns the number of lines. */
export async function exportAsOperator(
  slug: string,
  { file, keyFile }: { file: string; keyFile: string | undefined },
  source: RequestSource,
  report: (lines: number) => void,
): Promise<number> {
  const organization = await find(at(organizationRecord, slug));
  if (organization?.status !== 'active') throw new Error(`There is no organization ${slug}.`);
  const sealer =
    keyFile === undefined ? plainValues : await sealTo(SealingKey.parse(JSON.parse(readFileSync(keyFile, 'utf8'))));
  const exporting = {
    organization,
    log: openLog({ command: 'export-organization' }),
    audit: (facts: Parameters<typeof auditWrite>[3]) => auditWrite(organization, systemActor, source, facts),
  };
  const what = `${organization.id} ${sealer.sealedTo ?? 'plain'}`;
  return writeExport(file, what, after => exportPage(exporting, { sealer, after }), report);
}
