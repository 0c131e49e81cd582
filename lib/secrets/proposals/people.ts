import { isIdentityId } from '../../access/principal.ts';
import { coversEnvironment, coversProject, namesEnvironment } from '../../access/token-scope.ts';
import { managesProject, memberMay } from '../../contracts/fields/member-rights.ts';
import { roleMay } from '../../contracts/fields/role.ts';
import { asRead } from '../../table/expressions.ts';
import { at, readAll } from '../../table/read.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import { type IdentityRights, identityRightsRecord } from '../../table/records/identity.ts';
import { type MemberRecord, memberRecord } from '../../table/records/organization.ts';
import type { ProposalRecord } from '../../table/records/proposal.ts';
import { check, type Write } from '../../table/write.ts';
import { DecisionOutdated } from '../engine/write-change.ts';

/* What the author and the approvers of a proposal may do now. Everything about roles that proposals need is here. */

type Place = Pick<EnvironmentState, 'id' | 'type' | 'projectId'>;

/** Authors and approvers by their ids: members and identities. */
export type People = ReadonlyMap<string, MemberRecord | IdentityRights>;

type Approval = ProposalRecord['approvals'][number];

/** One round trip. */
export async function readPeople(
  orgSlug: string,
  proposals: readonly Pick<ProposalRecord, 'author' | 'approvals'>[],
): Promise<People> {
  const ids = new Set(proposals.flatMap(({ author, approvals }) => [author, ...approvals]).map(({ id }) => id));
  const records = await readAll<MemberRecord | IdentityRights>(
    [...ids].map(id => (isIdentityId(id) ? at(identityRightsRecord, orgSlug, id) : at(memberRecord, orgSlug, id))),
  );
  return new Map([...ids].flatMap((id, index) => (records[index] === undefined ? [] : [[id, records[index]]])));
}

type Author = ProposalRecord['author'];

/** Whether a user made the proposal: as its author, or as somebody who can sign in as the identity that did. Pure. */
export function hasProposed({ author }: { author: Pick<Author, 'id' | 'setUpBy'> }, userId: string): boolean {
  return author.id === userId || author.setUpBy.includes(userId);
}

const isMember = (person: MemberRecord | IdentityRights): person is MemberRecord => 'userId' in person;

/** The approvals of those who may still write to the environment, in the membership in which they approved. Pure. */
export function countedApprovals(
  proposal: Pick<ProposalRecord, 'approvals' | 'author'>,
  people: People,
  place: Place,
): Approval[] {
  return proposal.approvals.filter(({ id, memberId }) => {
    const member = people.get(id);
    return (
      !hasProposed(proposal, id) &&
      member !== undefined &&
      isMember(member) &&
      member.id === memberId &&
      memberMay('write', member, place)
    );
  });
}

interface AuthorRights {
  write: boolean;
  read: boolean;
  manage: boolean;
}

/** What the author may do in the environment now, in the membership in which they proposed. Pure. */
export function authorRights({ author }: Pick<ProposalRecord, 'author'>, people: People, place: Place): AuthorRights {
  const person = people.get(author.id);
  const membershipId = person !== undefined && isMember(person) ? person.id : person?.trustId;
  if (person === undefined || membershipId !== author.memberId) return { write: false, read: false, manage: false };
  if (isMember(person)) {
    const read = memberMay('read', person, place);
    return { write: memberMay('write', person, place), read, manage: managesProject(person, place.projectId) };
  }
  const { role, access } = person;
  const isInScope = coversProject(person, place.projectId) && coversEnvironment(person, place.id);
  const deploys = role === 'deployer' && namesEnvironment(person, place.id);
  const may = (action: 'read' | 'write') =>
    isInScope && (deploys || roleMay(action, role === 'deployer' ? 'viewer' : role, place.type));
  return { write: may('write') && access !== 'read', read: may('read'), manage: false };
}

/** Requires, in a commit, that these people still have the rights that were read. */
export function stillAsRead(orgSlug: string, ids: readonly string[], people: People): Write[] {
  const refused = () => new DecisionOutdated();
  return ids.flatMap(id => {
    const person = people.get(id);
    if (person === undefined) return [];
    if (isMember(person)) {
      const rights = asRead(person, ['id', 'role', 'limited', 'projectRoles', 'grants']);
      return [check(at(memberRecord, orgSlug, id), { if: rights, refused })];
    }
    const rights = asRead(person, ['trustId', 'role', 'access', 'projectId', 'environmentId', 'environments']);
    return [check(at(identityRightsRecord, orgSlug, id), { if: rights, refused })];
  });
}
