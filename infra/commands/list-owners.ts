import { ranges } from '#lib/table/keys.ts';
import { list, queryPages } from '#lib/table/read.ts';
import { directoryBySlugRecord, memberRecord } from '#lib/table/records/organization.ts';
import { useTable } from './find-table.ts';
import { sentenceOf } from './sentence-of.ts';

/*
 * `npm run operate -- list-owners`: prints each organization's slug and the e-mail address of each of its owners, to tell them
 * what an operator has to. It uses the local stack at PORT (3000), or the deployed table TABLE_NAME if that is set and
 * PORT is not.
 */

try {
  await useTable();
  for await (const page of queryPages(ranges.directoryBySlug(''))) {
    for (const { slug } of page.map(item => directoryBySlugRecord.parse(item))) {
      const members = await list(memberRecord, ranges.members(slug));
      for (const { email } of members.filter(({ role }) => role === 'owner')) console.log(`${slug}\t${email}`);
    }
  }
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = 1;
}
