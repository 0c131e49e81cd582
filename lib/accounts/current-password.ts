import type { RequestContext } from '../access/request-context.ts';
import { invalidRequest } from '../core/errors.ts';
import { verifyPassword } from '../crypto/passwords.ts';
import { type Counter, count } from '../limits/count.ts';
import type { UserRecord } from '../table/records/user.ts';

interface Presented {
  field: string;
  password: string;
  /** Counts wrong passwords. */
  wrong: Counter;
  /** The event to log for a rejection. */
  event: string;
}

/** @throws invalid_request naming the field for a wrong password, which `event` records; rate_limited */
export async function requireCurrentPassword(
  { source, log }: RequestContext,
  user: UserRecord,
  { field, password, wrong, event }: Presented,
): Promise<void> {
  if (await verifyPassword(password, user.passwordHash)) return;
  await count(wrong);
  log.account(event, { userId: user.id, ip: source.ip });
  throw invalidRequest([{ path: field, message: 'is wrong' }]);
}
