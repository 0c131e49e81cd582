import { isThere } from '../../table/expressions.ts';
import { at } from '../../table/read.ts';
import { userRecord } from '../../table/records/user.ts';
import { update, type Write } from '../../table/write.ts';

/**
 * The write for everybody who may become an owner: an account that is being closed then reads its organizations again,
 * so that it never was the last owner of one. Without `refused`, the transaction throws `ConditionFailed` if the account
 * is gone.
 */
export function ownsMore(userId: string, refused?: () => Error): Write {
  return update(at(userRecord, userId), { add: { creations: 1 } }, { if: isThere, refused });
}
