import { randomUUID } from 'node:crypto';
import type { MemberContext } from '../../access/request-context.ts';
import { type Place, readPlaces } from '../../audit/places.ts';
import { type GrantRequest, maximumGrantRequests } from '../../contracts/fields/grant.ts';
import { hasFreshRights } from '../../contracts/fields/role.ts';
import { roleInProject } from '../../contracts/fields/role-in-project.ts';
import { chunksOf } from '../../core/chunks-of.ts';
import { ApiError, environmentNotFound, organizationNotFound } from '../../core/errors.ts';
import { daySeconds, expiryAfter, isOver } from '../../core/time.ts';
import { count } from '../../limits/count.ts';
import { grantRequestMails } from '../../limits/rate-limits.ts';
import { grantRequestMail } from '../../mail/grant-mails.ts';
import { sendMail } from '../../mail/send-mail.ts';
import { equals, isNew } from '../../table/expressions.ts';
import { ranges, rareRanges } from '../../table/keys.ts';
import { at, list } from '../../table/read.ts';
import { type GrantRequestRecord, grantRequestRecord } from '../../table/records/grant-request.ts';
import { type MemberRecord, memberRecord, type OrganizationRecord } from '../../table/records/organization.ts';
import { check, put, retryWithFreshRead, transact } from '../../table/write.ts';
import { requirePlace } from '../members/read-roster.ts';
import { factsOf, seesPlace } from './manage-grants.ts';
import { requestView } from './show-grants.ts';

type Asked = Pick<GrantRequest, 'environmentId' | 'access' | 'minutes' | 'reason'>;

interface Foreseen {
  places: ReadonlyMap<string, Place>;
  own: GrantRequestRecord[];
  members: MemberRecord[];
}

/** Two round trips, in parallel with authentication. @throws organization_not_found */
export async function readBeforeRequesting(organizationId: string, userId: string): Promise<Foreseen> {
  return readFor(await requirePlace(organizationId), userId);
}

async function readFor({ slug }: Pick<OrganizationRecord, 'slug'>, userId: string): Promise<Foreseen> {
  const [places, own, members] = await Promise.all([
    readPlaces(slug),
    list(grantRequestRecord, rareRanges.grantRequestsOf(slug, userId)),
    list(memberRecord, ranges.members(slug)),
  ]);
  return { places, own, members };
}

/**
 * Asks those who manage the project for access to an environment, and mails them.
 * @throws environment_not_found if the caller can't see it; grant_limit_reached; forbidden for an identity
 */
export async function requestGrant(context: MemberContext, asked: Asked, foreseen?: Foreseen): Promise<GrantRequest> {
  const { access, organization, principal } = context;
  const { id: memberId, userId, email } = access.member;
  if (principal.identity !== undefined) throw new ApiError('forbidden', 'An identity gets no temporary access.');
  const readAgain = () => readFor(organization, userId);
  const { request, place, members } = await retryWithFreshRead(
    foreseen ?? (await readAgain()),
    readAgain,
    async current => {
      const place = current.places.get(asked.environmentId);
      if (place === undefined || !seesPlace(context, place)) throw environmentNotFound();
      const { slot, replaced } = freeSlot(current.own, memberId);
      const request: GrantRequestRecord = {
        ...asked,
        id: randomUUID(),
        memberId,
        userId,
        slot,
        projectId: place.project.id,
        project: place.project.slug,
        environment: place.environment.slug,
        createdAt: new Date().toISOString(),
        expiresAt: expiryAfter(daySeconds),
      };
      const isFree = replaced === undefined ? isNew : [isNew, { id: equals(replaced.id) }];
      const { environmentId: _, ...facts } = asked;
      await transact([
        put(at(grantRequestRecord, organization.slug, userId, slot), request, { if: isFree }),
        check(at(memberRecord, organization.slug, userId), {
          if: { id: equals(memberId) },
          refused: () => organizationNotFound(),
        }),
        await context.audit({
          action: 'grant.requested',
          ...factsOf({ id: memberId, email }, place),
          details: { request: request.id, ...facts },
        }),
      ]);
      return { request, place, members: current.members };
    },
  );
  await mailManagers(context, members, request, place);
  return requestView({ id: memberId, email }, request);
}

/** @returns also the request there that has ended, if any @throws grant_limit_reached */
function freeSlot(own: readonly GrantRequestRecord[], memberId: string) {
  const isOpen = (request: GrantRequestRecord) => request.memberId === memberId && !isOver(request.expiresAt);
  const slots = Array.from({ length: maximumGrantRequests }, (_, slot) => slot);
  const slot = slots.find(each => !own.some(request => request.slot === each && isOpen(request)));
  if (slot !== undefined) return { slot, replaced: own.find(request => request.slot === slot) };
  const message = `You have ${maximumGrantRequests} open requests. Wait until one is answered.`;
  throw new ApiError('grant_limit_reached', message);
}

const mailsAtOnce = 10;

/** A failure is only logged, and concerns one person: the request is there, and everybody who may answer it sees it. */
async function mailManagers(
  context: MemberContext,
  members: readonly MemberRecord[],
  request: GrantRequestRecord,
  place: Place,
): Promise<void> {
  const { organization, log, access } = context;
  const failed = (error: unknown) => {
    log.error('could not mail everybody about a request for access', error, { requestId: request.id });
  };
  try {
    const manages = (member: MemberRecord) => {
      const found = roleInProject(member, place.project.id);
      return found !== undefined && hasFreshRights(found.role) && member.id !== access.member.id;
    };
    const managers = members.filter(manages);
    const mail = await grantRequestMail(organization, {
      ...request,
      email: access.member.email,
      environment: `${place.project.slug}/${place.environment.slug}`,
    });
    const mailTo = async ({ userId, email }: MemberRecord) => {
      if (await isFirstThisHour(organization.id, userId)) await sendMail(email, mail);
    };
    for (const chunk of chunksOf(mailsAtOnce, managers)) {
      await Promise.all(chunk.map(manager => mailTo(manager).catch(failed)));
    }
  } catch (error) {
    failed(error);
  }
}

async function isFirstThisHour(organizationId: string, userId: string): Promise<boolean> {
  try {
    await count(grantRequestMails(organizationId, userId));
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'rate_limited') return false;
    throw error;
  }
}
