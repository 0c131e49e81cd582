import { chunksOf } from '../core/chunks-of.ts';
import { absent, equals } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, list, readAll } from '../table/read.ts';
import { memberRecord, type OrganizationRecord } from '../table/records/organization.ts';
import { accountLinkRecord } from '../table/records/sign-in.ts';
import { transactIfHolds, update } from '../table/write.ts';

const membersAtOnce = 25;

/**
 * Copies to each member when they last signed in through the provider, if only their link says so: version 0.1.0 didn't
 * record it with the member, where `requireRecheckIn` reads it. The caller renews the access revision. Can be repeated.
 */
export async function copyEarlierSignIns({ id, slug }: Pick<OrganizationRecord, 'id' | 'slug'>): Promise<void> {
  const members = await list(memberRecord, ranges.members(slug));
  const unrecorded = members.filter(({ providerSignInAt }) => providerSignInAt === undefined);
  for (const chunk of chunksOf(membersAtOnce, unrecorded)) {
    const links = await readAll(chunk.map(({ userId }) => at(accountLinkRecord, userId, id)));
    await Promise.all(
      chunk.map(async (member, index) => {
        const providerSignInAt = links[index]?.lastUsedAt ?? undefined;
        if (providerSignInAt === undefined) return;
        const isUnrecorded = { id: equals(member.id), providerSignInAt: absent };
        const item = at(memberRecord, slug, member.userId);
        await transactIfHolds([update(item, { set: { providerSignInAt } }, { if: isUnrecorded })]);
      }),
    );
  }
}
