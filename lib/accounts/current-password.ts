import type { RequestContext } from '../access/request-context.ts';
import { invalidRequest } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import { verifyPassword } from '../crypto/passwords.ts';
import type { UserRecord } from '../table/records/user.ts';
import { type Try, takeTry } from './rate-limit.ts';

/**
 * Counts one try at the password of a session's user. The limit is on the account, so a stolen session cannot be used to
 * guess it from many addresses.
 * @throws rate_limited
 */
export function tryCurrentPassword(userId: string): Promise<Try> {
  return takeTry({
    name: 'current-password',
    tries: settings().LOGIN_FAILURE_LIMIT,
    windowSeconds: 15 * 60,
    subject: userId,
  });
}

/** @throws invalid_request naming the field for a wrong password, which `event` records */
export async function requireCurrentPassword(
  { source, log }: RequestContext,
  user: UserRecord,
  { field, password, event }: { field: string; password: string; event: string },
): Promise<void> {
  if (await verifyPassword(password, user.passwordHash)) return;
  log.account(event, { userId: user.id, ip: source.ip });
  throw invalidRequest([{ path: field, message: 'is wrong' }]);
}
