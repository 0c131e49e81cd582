import { usedLink } from '../accounts/account-link.ts';
import { equals } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { signInRecord } from '../table/records/sign-in.ts';
import type { UserRecord } from '../table/records/user.ts';
import { check, type Write } from '../table/write.ts';
import type { OpenSignIn, Proof } from './open-sign-in.ts';
import { SignInRefused } from './sign-in-refused.ts';

/* What may have changed while the person was at the provider, checked in the transaction that makes the session. */

const refused = () => new SignInRefused('sign_in_expired');

/** The provider may have been changed or removed. */
export function sameProvider({ organization, signIn: { clientVersion } }: OpenSignIn): Write {
  return check(at(signInRecord, organization.slug), {
    if: { organizationId: equals(organization.id), clientVersion: equals(clientVersion) },
    refused,
  });
}

/** The organization may have been deleted. */
export function sameOrganization({ organization: { id, slug } }: OpenSignIn): Write {
  return check(at(organizationRecord, slug), { if: { id: equals(id), status: equals('active') }, refused });
}

/** The person may have been unlinked from the account, or the account recovered. */
export function sameLink(
  { organization: { id: organizationId } }: OpenSignIn,
  { person }: Proof,
  user: UserRecord,
): Write {
  return usedLink(user, { organizationId, person }, refused);
}
