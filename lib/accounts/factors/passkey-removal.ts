import { equals } from '../../table/expressions.ts';
import { at } from '../../table/read.ts';
import { type PasskeyRecord, passkeyOwnerRecord, passkeyRecord } from '../../table/records/passkey.ts';
import { remove, type Write } from '../../table/write.ts';

/** The writes that remove exactly this passkey; the caller lowers the account's count. */
export function removalOf(
  { id, userId, credentialId }: Pick<PasskeyRecord, 'id' | 'userId' | 'credentialId'>,
  refused?: () => Error,
): Write[] {
  const isSame = { if: { id: equals(id) }, ...(refused === undefined ? {} : { refused }) };
  return [remove(at(passkeyRecord, userId, credentialId), isSame), remove(at(passkeyOwnerRecord, credentialId))];
}

/** An account's number of passkeys after one is removed. */
export function oneLess(passkeyCount = 0): number | undefined {
  return passkeyCount > 1 ? passkeyCount - 1 : undefined;
}
