import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { exportAsOperator } from '../portability/export-as-operator.ts';
import { useTable } from './find-table.ts';
import { sentenceOf } from './sentence-of.ts';

/*
 * `npm run operate -- export-organization <slug> --to <file> (--seal-to <public JWK file> | --plain)`: writes everything
 * that an organization owns to a file (docs/organization-export.md). Run again, it continues an interrupted export. It
 * uses the local stack at PORT (3000), or the deployed table TABLE_NAME with the key KMS_KEY_ID if that is set and PORT
 * is not.
 */

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { to: { type: 'string' }, 'seal-to': { type: 'string' }, plain: { type: 'boolean' } },
  });
  const [slug, ...others] = positionals;
  const { to: file, 'seal-to': keyFile, plain } = values;
  if (slug === undefined || others.length > 0 || file === undefined || (keyFile === undefined) === (plain !== true)) {
    throw new Error(
      'Usage: npm run operate -- export-organization <slug> --to <file> (--seal-to <public JWK file> | --plain)',
    );
  }
  const where = await useTable();
  const source = { ip: '127.0.0.1', userAgent: 'export-organization', requestId: randomUUID() };
  const lines = await exportAsOperator(slug, { file, keyFile }, source, count =>
    console.error(`${count} lines so far.`),
  );
  console.log(`Exported ${slug} from ${where} to ${file}: ${lines} lines.`);
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = 1;
}
