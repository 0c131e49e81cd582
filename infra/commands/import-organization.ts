import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { PlanName, planNames } from '#lib/contracts/fields/limits.ts';
import { Slug } from '#lib/contracts/fields/text.ts';
import { importOrganization, removeImport } from '../portability/import-organization.ts';
import { useTable } from './find-table.ts';
import { sentenceOf } from './sentence-of.ts';

/*
 * `npm run operate -- import-organization <file> [--key <private JWK file>] [--slug <slug>] [--plan <plan>]`: creates an
 * organization from the file of an export (docs/organization-export.md), all of it or nothing. Run again, it continues an
 * interrupted import; `npm run operate -- import-organization --remove <slug>` gives it up. It uses the local stack at
 * PORT (3000), or the deployed table TABLE_NAME with the key KMS_KEY_ID if that is set and PORT is not.
 */

const usage =
  'Usage: npm run operate -- import-organization <file> [--key <private JWK file>] [--slug <slug>] ' +
  `[--plan ${planNames.join('|')}]\n       npm run operate -- import-organization --remove <slug>`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      key: { type: 'string' },
      slug: { type: 'string' },
      plan: { type: 'string' },
      remove: { type: 'string' },
    },
  });
  const [file, ...others] = positionals;
  const { key: keyFile, remove } = values;
  if ((file === undefined) === (remove === undefined) || others.length > 0) throw new Error(usage);
  const plan = PlanName.optional().safeParse(values.plan);
  const slug = Slug.optional().safeParse(values.slug);
  if (!plan.success || !slug.success) throw new Error(usage);
  const where = await useTable();
  if (file !== undefined) {
    const source = { ip: '127.0.0.1', userAgent: 'import-organization', requestId: randomUUID() };
    const options = {
      keyFile,
      slug: slug.data,
      plan: plan.data,
      source,
      report: (line: string) => console.error(line),
    };
    const { organization, listed, versions, auditEntries } = await importOrganization(file, options);
    console.log(
      `Imported ${slug.data ?? organization.slug} into ${where}: ${listed.environment.length} environments, ` +
        `${versions} versions, ${listed.member.length} members, ${auditEntries} audit entries.`,
    );
  } else if (remove !== undefined) {
    await removeImport(remove);
    console.log(`The unfinished import of ${remove} will be erased from ${where} within minutes.`);
  }
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = 1;
}
