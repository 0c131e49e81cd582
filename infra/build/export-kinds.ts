import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { itemKinds } from '#lib/portability/item-kinds.ts';

/** The table at the end of docs/organization-export.md; `npm run generate -- export-kinds` writes it. */
export function exportKindsTable(): string {
  const rows = Object.entries(itemKinds).map(([kind, { in: where, how }]) => {
    return `| ${kind} | ${where === 'nothing' ? `left out: ${how}` : how} |`;
  });
  return ['| Item | In the export |', '|---|---|', ...rows, ''].join('\n');
}

if (import.meta.main) {
  const page = join(import.meta.dirname, '../../docs/organization-export.md');
  const [text] = readFileSync(page, 'utf8').split('| Item | In the export |');
  writeFileSync(page, text + exportKindsTable());
}
