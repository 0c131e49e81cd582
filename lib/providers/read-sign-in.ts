import type { MemberContext } from '../access/request-context.ts';
import { requireVerifiedMember } from '../access/verified-email.ts';
import { requirePlace } from '../organizations/members/read-roster.ts';
import { at, find } from '../table/read.ts';
import { type SignInRecord, signInRecord } from '../table/records/sign-in.ts';

/**
 * The provider of an organization by its id, read in two round trips in parallel with authentication.
 * @throws organization_not_found
 */
export async function foreseeSignIn(organizationId: string): Promise<SignInRecord | undefined> {
  return findSignIn(await requirePlace(organizationId));
}

/**
 * The organization's sign-in provider, for an owner.
 * @throws email_not_verified
 */
export async function readSignIn(context: MemberContext): Promise<SignInRecord | undefined> {
  requireVerifiedMember(context);
  return findSignIn(context.organization);
}

/** The provider as it is now. */
export async function findSignIn({ slug, id }: { slug: string; id: string }): Promise<SignInRecord | undefined> {
  return ownSignIn(await find(at(signInRecord, slug)), id);
}

/** The slug may have belonged to another organization. Pure. */
export function ownSignIn(signIn: SignInRecord | undefined, organizationId: string): SignInRecord | undefined {
  return signIn?.organizationId === organizationId ? signIn : undefined;
}
