import type { Member } from '@holdfast/contracts/members/members.ts';
import { call } from '../api.ts';
import { useLoad } from '../load.ts';
import { organizationBySlug, user } from '../session.ts';

const nobody: readonly Member[] = [];

export type People = ReturnType<typeof usePeople>;

/** The members of an organization by user id, loaded once somebody is to be named. A limited member knows no others. */
export function usePeople(slug: string, wanted: boolean) {
  const organization = organizationBySlug(slug);
  const isKnown = organization !== undefined && !organization.limited;
  const load = wanted && isKnown;
  const roster = useLoad(`${organization?.id} ${load}`, async signal => {
    if (!load) return nobody;
    return (await call('GET /v1/members/{orgId}', { params: { orgId: organization.id }, signal })).members;
  });
  const members = roster.data ?? nobody;
  const find = (userId: string) => members.find(member => member.userId === userId);
  return {
    members,
    find,
    pending: roster.pending,
    error: roster.error,
    /** What to call somebody. */
    nameOf: (userId: string): string => {
      if (userId === user.value?.id) return 'you';
      const found = find(userId);
      if (found !== undefined) return found.name || found.email;
      if (load && roster.pending) return '…';
      return load && roster.error === undefined ? 'somebody who left' : 'another member';
    },
  };
}
