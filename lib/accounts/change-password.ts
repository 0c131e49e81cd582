import type { AccountContext } from '../access/request-context.ts';
import { ApiError, invalidRequest } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import { hashPassword, verifyPassword } from '../crypto/passwords.ts';
import { equals, isThere } from '../table/expressions.ts';
import { linkRecord } from '../table/records/link.ts';
import { sessionRecord } from '../table/records/session.ts';
import { userRecord } from '../table/records/user.ts';
import { at, remove, transact, update } from '../table/store.ts';
import { refuseCommonPassword } from './common-passwords.ts';
import { forgetTries, type RateLimit, takeTry } from './rate-limit.ts';

/**
 * Sets a new password. Every other session ends with the same write, and so does an open reset link; tokens go on.
 * @throws invalid_request naming the field for a wrong current or a common new password; rate_limited
 */
export async function changePassword(
  { principal: { user, credential }, source, log }: AccountContext,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<void> {
  if (credential.method !== 'session') throw new ApiError('insufficient_scope', 'This needs a session.');
  refuseCommonPassword('newPassword', newPassword);
  // Whoever has taken over a session must not find out the password by trying, from whatever address.
  const limit: RateLimit = {
    name: 'current-password',
    tries: settings().LOGIN_FAILURE_LIMIT,
    windowSeconds: 15 * 60,
    subject: user.id,
  };
  const taken = await takeTry(limit);
  if (!(await verifyPassword(currentPassword, user.passwordHash))) {
    log.account('password_change_refused', { userId: user.id, ip: source.ip });
    throw invalidRequest([{ path: 'currentPassword', message: 'is wrong' }]);
  }
  const sessionEpoch = user.sessionEpoch + 1;
  const passwordHash = await hashPassword(newPassword);
  const sessionEnded = () => new ApiError('unauthenticated', 'This session has ended in the meantime. Sign in again.');
  await Promise.all([
    transact([
      update(
        at(userRecord, user.id),
        { set: { passwordHash, sessionEpoch } },
        { if: { sessionEpoch: equals(user.sessionEpoch) }, refused: sessionEnded },
      ),
      update(
        at(sessionRecord, user.id, credential.hash),
        { set: { epoch: sessionEpoch } },
        { if: isThere, refused: sessionEnded },
      ),
      remove(at(linkRecord, user.id, 'reset-password')),
    ]),
    forgetTries(taken),
  ]);
  log.account('password_changed', { userId: user.id, ip: source.ip });
}
