import type { MemberContext } from '../access/request-context.ts';
import { equals } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { signInRecord } from '../table/records/sign-in.ts';
import { remove, retryWithFreshRead, transact } from '../table/write.ts';
import { findSignIn, readSignIn } from './read-sign-in.ts';
import { freedDomains, shownOnOrganization } from './set-sign-in.ts';
import { signInTarget } from './sign-in-view.ts';

/**
 * Removes the sign-in provider, and with it the requirement to use it. Members, sessions and links to accounts stay. Does
 * nothing if there is none.
 * @throws email_not_verified
 */
export async function deleteSignIn(context: MemberContext): Promise<void> {
  const { organization } = context;
  const known = await readSignIn(context);
  await retryWithFreshRead(
    known,
    () => findSignIn(organization),
    async before => {
      if (before === undefined) return;
      await transact([
        remove(at(signInRecord, organization.slug), { if: { version: equals(before.version) } }),
        shownOnOrganization(organization),
        ...freedDomains(before),
        await context.audit({ action: 'sign_in.removed', target: signInTarget(before) }),
      ]);
    },
  );
}
