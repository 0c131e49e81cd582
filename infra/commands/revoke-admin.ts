import { equals, isThere } from '#lib/table/expressions.ts';
import { at } from '#lib/table/read.ts';
import { userRecord } from '#lib/table/records/user.ts';
import { transactIfHolds, update } from '#lib/table/write.ts';
import { requireAccount } from './find-account.ts';
import { useTable } from './find-table.ts';
import { sentenceOf } from './sentence-of.ts';

/*
 * `npm run revoke-admin -- <e-mail>`: the inverse of `grant-admin`, on the same tables. The account's requests are
 * refused on the admin routes from the next one on; its sessions and tokens keep their other rights.
 */

try {
  const email = process.argv[2] ?? '';
  if (email === '' || process.argv.length > 3) throw new Error('Usage: npm run revoke-admin -- <e-mail>');
  const where = await useTable();
  const wasAdmin = await revoke(email);
  console.log(
    wasAdmin
      ? `${email} is no longer a platform administrator of ${where}.`
      : `${email} is not a platform administrator of ${where}, so nothing was changed.`,
  );
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = 1;
}

async function revoke(email: string): Promise<boolean> {
  const user = await requireAccount(email);
  const isAdmin = { ...isThere, isAdmin: equals(true) };
  return transactIfHolds([update(at(userRecord, user.id), { set: { isAdmin: undefined } }, { if: isAdmin })]);
}
