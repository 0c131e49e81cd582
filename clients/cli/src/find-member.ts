import { exitCodes, Failure } from './failure.ts';
import type { Session } from './session.ts';

/** The member who has the address now. @throws Failure if nobody has it */
export async function findMember(session: Session, orgId: string, email: string) {
  const { members } = await session.request('GET', '/v1/members/{orgId}', { path: { orgId } });
  const found = members.find(one => one.email.toLowerCase() === email.toLowerCase());
  if (found !== undefined) return found;
  throw new Failure(exitCodes.notFound, 'member_not_found', `No member has the address ${email}.`, {
    hint: 'List them: holdfast members',
  });
}
