import type { RequestContext } from '../access/request-context.ts';
import type { register as contract } from '../contracts/auth/account.ts';
import type { BodyOf } from '../contracts/contract.ts';
import { hashPassword } from '../crypto/passwords.ts';
import { count } from '../limits/count.ts';
import { networkOf } from '../limits/network.ts';
import { registrations } from '../limits/rate-limits.ts';
import { verificationMail } from '../mail/account-mails.ts';
import { sendMail } from '../mail/send-mail.ts';
import { newOrganization, withFreeSlug } from '../organizations/new-organization.ts';
import { at, find } from '../table/read.ts';
import { countPlatform } from '../table/records/platform.ts';
import { emailRecord, isFreeAddress } from '../table/records/user.ts';
import { transact } from '../table/write.ts';
import { refuseCommonPassword } from './common-passwords.ts';
import { newVerificationLink } from './mailed-link.ts';
import { emailTaken, newAccount } from './new-account.ts';
import { newSession } from './sessions.ts';

/**
 * Creates an account with its personal organization and its first session, all or nothing, then mails the verification
 * link. If the e-mail can't be sent, that is logged: the account exists, and the user can request the link again.
 * @throws rate_limited, invalid_request for a common password, email_taken
 */
export async function register({ source, log }: RequestContext, requested: BodyOf<typeof contract>) {
  refuseCommonPassword('password', requested.password);
  await count(registrations(networkOf(source.ip)));
  // This only saves hashing; the transaction ensures that the address is still free.
  if (!isFreeAddress(await find(at(emailRecord, requested.email)))) throw emailTaken();

  const passwordHash = await hashPassword(requested.password);
  const { user, writes } = newAccount({ ...requested, passwordHash }, emailTaken);
  const { id } = user;
  const session = await newSession(user, source);
  const link = await newVerificationLink(id);
  const name = requested.organizationName ?? personalOrganizationName(user.name);
  const organization = await withFreeSlug({ name }, async slug => {
    const founded = await newOrganization({ name, slug }, user, { id, email: user.email, type: 'session' }, source);
    const counting = countPlatform({ users: 1, organizations: 1 });
    await transact([...writes, ...founded.writes, session.write, link.write, counting]);
    return founded.organization;
  });
  log.account('registered', { userId: id, ip: source.ip });
  try {
    await sendMail(user.email, verificationMail(user.name, link.url));
  } catch (error) {
    log.error('could not send the verification e-mail', error, { userId: id });
  }
  return { user, organization, cookie: session.cookie };
}

/** At most 100 characters, like every name; a long user name is cut. */
export function personalOrganizationName(userName: string): string {
  const suffix = "'s organization";
  return [...userName].slice(0, 100 - suffix.length).join('') + suffix;
}
