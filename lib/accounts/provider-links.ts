import type { AccountContext } from '../access/request-context.ts';
import type { ProviderLink } from '../contracts/auth/providers.ts';
import { ApiError } from '../core/errors.ts';
import { derivedUuid } from '../crypto/derived-uuid.ts';
import { equals, isNew, isThere } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, queryItems, readAll } from '../table/read.ts';
import { sessionRecord } from '../table/records/credentials.ts';
import { membershipRecord, type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import { type AccountLinkRecord, accountLinkRecord, providerLinkRecord } from '../table/records/sign-in.ts';
import { isUnchanged, type UserRecord, userRecord } from '../table/records/user.ts';
import { put, remove, retryWithFreshRead, update, type Write } from '../table/write.ts';
import { linkEpochOf } from './account-link.ts';
import { readHeldTokens, revocationsOf, transactAfter } from './sessions.ts';

type Link = Omit<AccountLinkRecord, 'id'> & { id: string; isOlder?: true };

interface OwnLink {
  link: Link;
  organization: OrganizationRecord;
}

export async function listProviderLinks({ principal: { user } }: AccountContext): Promise<ProviderLink[]> {
  return (await readLinks(user))
    .map(({ link: { id, issuer, createdAt, lastUsedAt }, organization }) => ({
      id,
      organization: { id: organization.id, slug: organization.slug, name: organization.name },
      issuer,
      createdAt,
      lastUsedAt,
    }))
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt) || a.id.localeCompare(b.id));
}

/** Also ends the sessions that came through the provider and the tokens that these created. @throws link_not_found */
export async function endProviderLink({ principal, source, log }: AccountContext, linkId: string): Promise<void> {
  const readAgain = async () => readEnding(await find(at(userRecord, principal.userId)), linkId);
  const foreseen = await readEnding(principal.user, linkId);
  await retryWithFreshRead(foreseen, readAgain, async ({ user, link, sessions, held }) => {
    const { organizationId } = link;
    const sessionEnds = sessions.map(hash => [remove(at(sessionRecord, user.id, hash), { if: isThere })]);
    // A token that is created meanwhile, or a sign-in through the link, makes this fail; a token that would be created
    // afterwards fails, and its session has ended.
    const account = update(at(userRecord, user.id), { add: { creations: 1 } }, { if: isUnchanged(user) });
    const revocations = await revocationsOf(user, held, source);
    await transactAfter([...sessionEnds, ...revocations], [endOfLink(user.id, link), account]);
    log.account('provider_unlinked', { userId: user.id, organizationId });
  });
}

/** The person's item stays, and leads to a link that has ended. */
function endOfLink(userId: string, { isOlder, ...link }: Link): Write {
  const item = at(accountLinkRecord, userId, link.organizationId);
  const { id, lastUsedAt, ...ended } = link;
  if (isOlder === true) return put(item, { ...ended, lastUsedAt }, { if: isNew });
  return update(item, { set: { id: undefined } }, { if: { id: equals(id), lastUsedAt: equals(lastUsedAt) } });
}

/** The account is read before its tokens and sessions, so that the condition on it covers both. */
async function readEnding(user: UserRecord | undefined, linkId: string) {
  if (user === undefined) throw linkNotFound();
  const sessionRange = ranges.sessions(user.id);
  const reads = [readLinks(user), readHeldTokens(user.id), queryItems(sessionRange)] as const;
  const [links, held, sessions] = await Promise.all(reads);
  const link = links.find(own => own.link.id === linkId)?.link;
  if (link === undefined) throw linkNotFound();
  const cameThrough = (provider?: { organizationId: string }) => provider?.organizationId === link.organizationId;
  return {
    user,
    link,
    held: { ...held, tokens: held.tokens.filter(({ provider }) => cameThrough(provider)) },
    sessions: sessions
      .filter(item => cameThrough(sessionRecord.parse(item).provider))
      .map(({ sk }) => String(sk).slice(sessionRange.beginsWith.length)),
  };
}

const linkNotFound = () => new ApiError('link_not_found', 'You have no link with this identifier.');

/** The links that hold, of organizations that exist. */
export async function readLinks(user: UserRecord): Promise<OwnLink[]> {
  const [links, memberships] = await Promise.all([
    list(accountLinkRecord, ranges.accountLinks(user.id)),
    list(membershipRecord, ranges.memberships(user.id)),
  ]);
  const places = [...links, ...memberships];
  const stored = await readAll(places.map(({ orgSlug }) => at(organizationRecord, orgSlug)));
  const organizations = stored.map((organization, index) => {
    const isSame = organization?.id === places[index]?.organizationId;
    return isSame && organization?.status === 'active' ? organization : undefined;
  });
  const own = links.flatMap(({ id, ...link }, index): OwnLink[] => {
    const organization = organizations[index];
    const holds = id !== undefined && link.epoch === linkEpochOf(user) && user.isAdmin !== true;
    return organization !== undefined && holds ? [{ link: { ...link, id }, organization }] : [];
  });
  const linked = new Set(links.map(({ organizationId }) => organizationId));
  const unlinked = organizations.slice(links.length).filter(active => active !== undefined && !linked.has(active.id));
  const older = await Promise.all(unlinked.map(organization => olderLinks(user, organization)));
  return [...own, ...older.flat()];
}

/** Links from before accounts had a side of them are in the organization until their next use. */
async function olderLinks(user: UserRecord, organization: OrganizationRecord | undefined): Promise<OwnLink[]> {
  if (organization?.providerVersion === undefined || linkEpochOf(user) > 0 || user.isAdmin === true) return [];
  const { id: organizationId, slug: orgSlug } = organization;
  const range = ranges.providerLinks(orgSlug);
  return (await queryItems(range)).flatMap(item => {
    const { userId, linkId, issuer, createdAt } = providerLinkRecord.parse(item);
    if (userId !== user.id || linkId !== null) return [];
    const person = String(item.sk).slice(range.beginsWith.length);
    const id = derivedUuid(`${organizationId}\n${person}`);
    const link = { id, organizationId, orgSlug, person, issuer, epoch: 0, createdAt, lastUsedAt: null } as const;
    return [{ link: { ...link, isOlder: true }, organization }];
  });
}
