import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '#lib/contracts/routes.ts';
import { renderOpenApi } from './build-openapi.ts';

// Writes openapi.json. With --check it writes nothing and fails if the file is outdated.

const file = join(import.meta.dirname, '../../openapi.json');
const rendered = renderOpenApi(routes);

if (process.argv.includes('--check')) {
  let written: string | undefined;
  try {
    written = readFileSync(file, 'utf8');
  } catch {
    written = undefined;
  }
  if (written !== rendered) {
    process.stderr.write(
      'openapi.json does not match the contracts; run `npm run generate -- openapi` and commit the result.\n',
    );
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, rendered);
}
