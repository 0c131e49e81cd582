import type { MemberContext } from '../../access/request-context.ts';
import { organizationNotFound } from '../../core/errors.ts';
import { renewedRevision } from '../../table/access-revision.ts';
import { equals, isThere } from '../../table/expressions.ts';
import { ranges } from '../../table/keys.ts';
import { at, list } from '../../table/read.ts';
import { type IdentityRecord, identityRecord } from '../../table/records/identity.ts';
import { membershipRecord, type OrganizationRecord, organizationRecord } from '../../table/records/organization.ts';
import { type WebhookRecord, webhookRecord } from '../../table/records/webhook.ts';
import { asRevocation } from '../../table/revocations.ts';
import { remove, retryOnConditionFailed, transact, update, type Write } from '../../table/write.ts';

/** What a member created that outlives the membership. */
export interface Left {
  identities: Pick<IdentityRecord, 'id' | 'name'>[];
  webhooks: Pick<WebhookRecord, 'id' | 'url'>[];
}

type Place = Pick<OrganizationRecord, 'id' | 'slug'>;

/** How many identities one transaction ends: each takes three of its hundred writes. */
const identitiesAtOnce = 29;

export function listAllIdentities({ slug }: Place): Promise<IdentityRecord[]> {
  return list(identityRecord, ranges.identities(slug));
}

/** As many of the user's identities as one transaction can end. */
export function endableOf(place: Place, identities: readonly IdentityRecord[], userId: string): IdentityRecord[] {
  return identities.filter(isMadeBy(place, userId)).slice(0, identitiesAtOnce);
}

/** Checks the organization too, because the slug may have been another organization's when the item was read. */
function isMadeBy({ id }: Place, userId: string) {
  return ({ organizationId, createdBy }: Pick<IdentityRecord, 'organizationId' | 'createdBy'>) =>
    organizationId === id && createdBy?.id === userId;
}

export async function findLeft(organization: Place, userId: string): Promise<Left> {
  const listingWebhooks = list(webhookRecord, ranges.webhooks(organization.slug));
  const [identities, webhooks] = await Promise.all([listAllIdentities(organization), listingWebhooks]);
  const isOwn = isMadeBy(organization, userId);
  return {
    identities: identities.filter(isOwn).map(({ id, name }) => ({ id, name })),
    webhooks: webhooks.filter(isOwn).map(({ id, url }) => ({ id, url })),
  };
}

/** Ends all identities of a user who can no longer create any, and returns what remains. */
export async function endRest(context: MemberContext, userId: string): Promise<Left> {
  return retryOnConditionFailed(async () => {
    for (;;) {
      const left = await findLeft(context.organization, userId);
      const ended = left.identities.slice(0, identitiesAtOnce);
      if (ended.length === 0) return left;
      const endings = await identityEndings(context, ended);
      await transact(asRevocation([countIdentitiesEnded(context.organization, ended.length), ...endings]));
    }
  });
}

/** The writes that end identities and, as each request reads them, their tokens. The caller lowers the count. */
export async function identityEndings(
  context: MemberContext,
  identities: readonly Pick<IdentityRecord, 'id' | 'name'>[],
): Promise<Write[]> {
  const { id: organizationId, slug } = context.organization;
  const endings = identities.map(async ({ id, name }) => [
    remove(at(identityRecord, slug, id), { if: isThere }),
    remove(at(membershipRecord, id, organizationId)),
    await context.audit({ action: 'identity.deleted', target: { type: 'identity', id, name } }),
  ]);
  return (await Promise.all(endings)).flat();
}

export function countIdentitiesEnded({ id, slug }: Place, ended: number): Write {
  const isSame = { if: { id: equals(id) }, refused: () => organizationNotFound() };
  return update(at(organizationRecord, slug), { add: { identityCount: -ended }, set: renewedRevision() }, isSame);
}
