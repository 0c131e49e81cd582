import type { AccountContext } from '../access/request-context.ts';
import type { changePassword as contract } from '../contracts/auth/change-password.ts';
import type { BodyOf } from '../contracts/contract.ts';
import { ApiError } from '../core/errors.ts';
import { hashPassword } from '../crypto/passwords.ts';
import { refuseEarly, startAgain, toRead } from '../limits/count.ts';
import { wrongCurrentPasswords } from '../limits/rate-limits.ts';
import { isThere } from '../table/expressions.ts';
import { at, readTogether } from '../table/read.ts';
import { sessionRecord } from '../table/records/session.ts';
import { update } from '../table/write.ts';
import { refuseCommonPassword } from './common-passwords.ts';
import { requireCurrentPassword } from './current-password.ts';
import { sessionEnded } from './new-session.ts';
import { readHeldTokens, setPassword } from './set-password.ts';

/**
 * Sets a new password. The same write ends every other session and invalidates open reset links. Tokens stay valid
 * unless the caller asks to revoke them.
 * @throws invalid_request naming the field for a wrong current or a common new password; rate_limited
 */
export async function changePassword(
  context: AccountContext,
  { currentPassword, newPassword, revokeTokens }: BodyOf<typeof contract>,
): Promise<void> {
  const { principal, source, log } = context;
  const { user, credential } = principal;
  if (credential.method !== 'session') throw new ApiError('insufficient_scope', 'This requires a session.');
  refuseCommonPassword('newPassword', newPassword);
  const wrong = wrongCurrentPasswords(user.id);
  const [held, { known }] = await Promise.all([
    revokeTokens ? readHeldTokens(user.id) : undefined,
    readTogether({ known: toRead(wrong) }),
  ]);
  refuseEarly(wrong, known);
  await requireCurrentPassword(context, user, {
    field: 'currentPassword',
    password: currentPassword,
    wrong,
    event: 'password_change_refused',
  });
  const passwordHash = await hashPassword(newPassword);
  const ownSession = update(
    at(sessionRecord, user.id, credential.hash),
    { set: { epoch: user.sessionEpoch + 1 } },
    { if: isThere, refused: sessionEnded },
  );
  const others = [ownSession, ...startAgain(wrong)];
  await setPassword({ user, passwordHash, held, source, others, overtaken: sessionEnded });
  log.account('password_changed', { userId: user.id, ip: source.ip, tokensRevoked: revokeTokens });
}
