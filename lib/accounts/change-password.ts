import type { AccountContext } from '../access/request-context.ts';
import { ApiError, invalidRequest } from '../core/errors.ts';
import { settings } from '../core/settings.ts';
import { hashPassword, verifyPassword } from '../crypto/passwords.ts';
import { isThere } from '../table/expressions.ts';
import { sessionRecord } from '../table/records/session.ts';
import { at, update } from '../table/store.ts';
import { refuseCommonPassword } from './common-passwords.ts';
import { sessionEnded } from './create-token.ts';
import { forgetTries, type RateLimit, takeTry } from './rate-limit.ts';
import { readHeldTokens, setPassword } from './set-password.ts';

/**
 * Sets a new password. Every other session ends with the same write, and so does an open reset link; tokens go on unless
 * they are to be revoked as well.
 * @throws invalid_request naming the field for a wrong current or a common new password; rate_limited
 */
export async function changePassword(
  { principal: { user, credential }, source, log }: AccountContext,
  {
    currentPassword,
    newPassword,
    revokeTokens,
  }: { currentPassword: string; newPassword: string; revokeTokens: boolean },
): Promise<void> {
  if (credential.method !== 'session') throw new ApiError('insufficient_scope', 'This needs a session.');
  refuseCommonPassword('newPassword', newPassword);
  // The limit is on the account, so a stolen session cannot be used to guess the password from many addresses.
  const limit: RateLimit = {
    name: 'current-password',
    tries: settings().LOGIN_FAILURE_LIMIT,
    windowSeconds: 15 * 60,
    subject: user.id,
  };
  const [held, taken] = await Promise.all([revokeTokens ? readHeldTokens(user.id) : undefined, takeTry(limit)]);
  if (!(await verifyPassword(currentPassword, user.passwordHash))) {
    log.account('password_change_refused', { userId: user.id, ip: source.ip });
    throw invalidRequest([{ path: 'currentPassword', message: 'is wrong' }]);
  }
  const passwordHash = await hashPassword(newPassword);
  const ownSession = update(
    at(sessionRecord, user.id, credential.hash),
    { set: { epoch: user.sessionEpoch + 1 } },
    { if: isThere, refused: sessionEnded },
  );
  await Promise.all([
    setPassword({ user, passwordHash, held, source, others: [ownSession], overtaken: sessionEnded }),
    forgetTries(taken),
  ]);
  log.account('password_changed', { userId: user.id, ip: source.ip, tokensRevoked: revokeTokens });
}
