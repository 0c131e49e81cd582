import type { RequestContext } from '../access/request-context.ts';
import { queueJob } from '../core/queue.ts';
import { hashPassword } from '../crypto/passwords.ts';
import { count } from '../limits/count.ts';
import { networkOf } from '../limits/network.ts';
import { passwordResets, passwordResetsOfNetwork } from '../limits/rate-limits.ts';
import { at, find } from '../table/read.ts';
import { emailRecord, nobody, type UserRecord } from '../table/records/user.ts';
import { refuseCommonPassword } from './common-passwords.ts';
import { allFactorsGone } from './factors/factors-gone.ts';
import { invalidLink, openResetLink } from './mailed-link.ts';
import { type FactorsGone, readHeldTokens, setPassword } from './set-password.ts';

/**
 * Has a background job mail a reset link if the account exists. The caller can't tell, because the calls and the rate
 * limit are the same either way.
 * @throws rate_limited
 */
export async function requestPasswordReset({ source, log }: RequestContext, email: string): Promise<void> {
  const [pointer] = await Promise.all([
    find(at(emailRecord, email)),
    count(passwordResets(email), passwordResetsOfNetwork(networkOf(source.ip))),
  ]);
  const userId = pointer?.userId;
  await queueJob({ type: 'mail-reset-link', userId: userId ?? nobody });
  log.account('password_reset_requested', { email, userId, ip: source.ip });
}

/**
 * Sets a new password with a mailed link's token, which also verifies the address. The same transaction ends every session,
 * token, other reset link, and link to a provider. If the address was never verified, it also removes the second factors.
 * @throws invalid_token; invalid_request naming `newPassword` for a common one, which leaves the link usable
 */
export async function resetPassword(
  { source, log }: RequestContext,
  { token, newPassword }: { token: string; newPassword: string },
): Promise<void> {
  refuseCommonPassword('newPassword', newPassword);
  const user = await openResetLink(token);
  const [passwordHash, held] = await Promise.all([hashPassword(newPassword), readHeldTokens(user.id)]);
  await setPassword({
    user,
    passwordHash,
    held,
    source,
    others: [],
    recovers: true,
    // Someone who registered a stranger's address may have added a factor. The address's owner must be able to get in.
    ...(user.emailVerified ? {} : { decide: firstVerified }),
    overtaken: invalidLink,
  });
  log.account('password_reset', { userId: user.id, ip: source.ip });
}

async function firstVerified(user: UserRecord): Promise<FactorsGone> {
  const { set, writes } = await allFactorsGone(user);
  return { set: { ...set, emailVerified: true }, writes };
}
