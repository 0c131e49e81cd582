import type { AccountContext, RequestContext } from '../access/request-context.ts';
import type { changePassword as contract } from '../contracts/auth/passwords.ts';
import type { BodyOf } from '../contracts/contract.ts';
import { ApiError } from '../core/errors.ts';
import { queueJob } from '../core/queue.ts';
import { hashPassword } from '../crypto/passwords.ts';
import { count, countRead, refuseEarly, resetCount } from '../limits/count.ts';
import { networkOf } from '../limits/network.ts';
import { passwordResets, passwordResetsOfNetwork, wrongCurrentPasswords } from '../limits/rate-limits.ts';
import { isThere } from '../table/expressions.ts';
import { at, find, readTogether } from '../table/read.ts';
import { sessionRecord } from '../table/records/credentials.ts';
import { emailRecord, nobody, type UserRecord } from '../table/records/user.ts';
import { update, type Write } from '../table/write.ts';
import { refuseCommonPassword } from './common-passwords.ts';
import { allFactorsGone } from './factors/remove-factors.ts';
import { invalidLink, openResetLink } from './mailed-link.ts';
import { type AccountChange, type EndedSessions, endSessions, readHeldTokens, sessionEnded } from './sessions.ts';
import { requireCurrentPassword } from './step-up.ts';

/**
 * Sets a new password. The same write ends every other session and invalidates open reset links. Tokens stay valid
 * unless the caller asks to revoke them. @throws invalid_request naming the field of a wrong or a common password;
 * rate_limited
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
  const readingHeld = revokeTokens ? readHeldTokens(user.id) : undefined;
  const [held, { counted }] = await Promise.all([readingHeld, readTogether({ counted: countRead(wrong) })]);
  refuseEarly(wrong, counted);
  const presented = { field: 'currentPassword', password: currentPassword, wrong, event: 'password_change_refused' };
  await requireCurrentPassword(context, user, presented);
  const passwordHash = await hashPassword(newPassword);
  const session = at(sessionRecord, user.id, credential.hash);
  const kept = { set: { epoch: user.sessionEpoch + 1 } };
  const others = [update(session, kept, { if: isThere, refused: sessionEnded }), ...resetCount(wrong)];
  await setPassword({ user, passwordHash, held, source, others, overtaken: sessionEnded });
  log.account('password_changed', { userId: user.id, ip: source.ip, tokensRevoked: revokeTokens });
}

/**
 * Has a background job mail a reset link if the account exists. The calls and the rate limit are the same either way,
 * so the response doesn't reveal it. @throws rate_limited
 */
export async function requestPasswordReset({ source, log }: RequestContext, email: string): Promise<void> {
  const limits = [passwordResets(email), passwordResetsOfNetwork(networkOf(source.ip))];
  const [pointer] = await Promise.all([find(at(emailRecord, email)), count(...limits)]);
  const userId = pointer?.userId;
  await queueJob({ type: 'mail-reset-link', userId: userId ?? nobody });
  log.account('password_reset_requested', { email, userId, ip: source.ip });
}

/**
 * Sets a new password with a mailed link's token, which also verifies the address. The same transaction ends every
 * session, token, other reset link, and link to a provider. If the address was never verified, it also removes the
 * second factors.
 * @throws invalid_token; invalid_request naming `newPassword` for a common one, which leaves the link usable
 */
export async function resetPassword(
  { source, log }: RequestContext,
  { token, newPassword }: { token: string; newPassword: string },
): Promise<void> {
  refuseCommonPassword('newPassword', newPassword);
  const user = await openResetLink(token);
  const [passwordHash, held] = await Promise.all([hashPassword(newPassword), readHeldTokens(user.id)]);
  // Someone who registered a stranger's address may have added a factor. The address's owner must be able to get in.
  const decide = user.emailVerified ? undefined : allFactorsGone;
  const setting = { user, passwordHash, held, source, others: [], decide };
  await setPassword({ ...setting, recovers: true, overtaken: invalidLink });
  log.account('password_reset', { userId: user.id, ip: source.ip });
}

interface NewPassword extends Pick<EndedSessions, 'user' | 'held' | 'source' | 'recovers'> {
  passwordHash: string;
  others: readonly Write[];
  decide?: ((user: UserRecord) => Promise<AccountChange>) | undefined;
  /** The error if the password has changed in the meantime. */
  overtaken: () => Error;
}

async function setPassword({ passwordHash, others, decide, overtaken, ...ending }: NewPassword): Promise<void> {
  const decideAll = async (current: UserRecord) => {
    if (current.sessionEpoch !== ending.user.sessionEpoch) throw overtaken();
    const { set = {}, writes = [] } = (await decide?.(current)) ?? {};
    // The mailed link proves the address, too.
    const verified = ending.recovers === true ? { emailVerified: true } : {};
    return { set: { ...set, ...verified, passwordHash }, writes: [...writes, ...others] };
  };
  await endSessions({ ...ending, decide: decideAll, gone: overtaken });
}
