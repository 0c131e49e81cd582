import { parseArgs } from 'node:util';
import { replayRevocations } from '../repair/replay-revocations.ts';
import { useTable } from './find-table.ts';
import { sentenceOf } from './sentence-of.ts';

/*
 * `npm run operate -- replay-revocations --from <old table> --since <time>`: repeats on the restored table TABLE_NAME what was
 * taken away in the old table since the moment that it was restored to. It can be repeated, and run while the service
 * uses either table. It reads only the revocations since then, and prints what it did.
 */

const usage =
  'Usage: TABLE_NAME=<restored table> npm run operate -- replay-revocations --from <old table> --since <time>';

try {
  const { values } = parseArgs({ options: { from: { type: 'string' }, since: { type: 'string' } } });
  const since = new Date(values.since ?? '');
  if (values.from === undefined || Number.isNaN(since.getTime())) throw new Error(usage);
  const where = await useTable();
  if (values.from === process.env.TABLE_NAME) {
    throw new Error(
      `--from names the table that was used before the restore, and TABLE_NAME the restored one, but both are ${values.from}. ` +
        'The output TableName of the stack <name>-foundation names the restored table once that is deployed.',
    );
  }
  const { revocations, repeated, left, recounted } = await replayRevocations(values.from, since);
  console.log(
    `${revocations} revocations in ${values.from} since ${since.toISOString()}; ${repeated} repeated on ${where}.`,
  );
  for (const slug of recounted) console.log(`${slug}: its counters were corrected`);
  for (const key of left) console.log(`left as it is, because it has changed since the restore: ${key}`);
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = 1;
}
