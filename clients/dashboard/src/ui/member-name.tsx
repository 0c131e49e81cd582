import type { Member } from '@holdfast/contracts/members/members.ts';
import { may, organizationBySlug } from '../session.ts';
import { Person } from './person.tsx';

const memberPath = (slug: string, id: string) => `/organizations/${slug}/members/${id}`;

/** Owners and admins see what each member holds, others what they hold themselves. */
export function maySeeMember(slug: string, id: string): boolean {
  const organization = organizationBySlug(slug);
  return organization !== undefined && (id === organization.memberId || may('invite-member', organization.role));
}

/** The member's page for those who may see it, otherwise the list that has the member. */
export function pathOfMember(slug: string, id: string): string {
  return maySeeMember(slug, id) ? memberPath(slug, id) : `/organizations/${slug}/members`;
}

/** A member by name or address, with a link to their page for those who may see it. */
export function MemberName({ slug, member: { id, name, email } }: { slug: string; member: Member }) {
  const shown = name || email;
  const title = maySeeMember(slug, id) ? <a href={memberPath(slug, id)}>{shown}</a> : shown;
  return <Person name={title} detail={name === '' ? undefined : email} />;
}
