import type { MemberContext } from '../access/request-context.ts';
import { requireVerifiedEmail } from '../access/verified-email.ts';
import { ApiError } from '../core/errors.ts';
import { at, find, readTogether } from '../table/read.ts';
import { type SignInRecord, signInRecord } from '../table/records/sign-in.ts';
import { userRecord } from '../table/records/user.ts';

/**
 * The organization's sign-in provider, for an owner.
 * @throws email_not_verified
 */
export async function readSignIn({ organization, principal }: MemberContext): Promise<SignInRecord | undefined> {
  const { user = principal.user, signIn } = await readTogether({
    user: principal.user === undefined ? at(userRecord, principal.userId) : undefined,
    signIn: at(signInRecord, organization.slug),
  });
  if (user === undefined) throw new ApiError('unauthenticated', 'This requires an account.');
  requireVerifiedEmail(user);
  return ownSignIn(signIn, organization.id);
}

/** The provider as it is now. */
export async function findSignIn({ slug, id }: { slug: string; id: string }): Promise<SignInRecord | undefined> {
  return ownSignIn(await find(at(signInRecord, slug)), id);
}

/** The slug may have belonged to another organization. Pure. */
export function ownSignIn(signIn: SignInRecord | undefined, organizationId: string): SignInRecord | undefined {
  return signIn?.organizationId === organizationId ? signIn : undefined;
}
