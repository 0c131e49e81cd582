import { chunksOf } from '../core/chunks-of.ts';
import { type CopyEmail, lastRequestsSeconds } from '../core/job.ts';
import type { Log } from '../core/logger.ts';
import { queueJob } from '../core/queue.ts';
import { renewAccess } from '../organizations/change-counts.ts';
import { equals, isThere } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, readAll } from '../table/read.ts';
import { tokenRecord } from '../table/records/credentials.ts';
import { memberRecord, membershipRecord } from '../table/records/organization.ts';
import { endAccountWork } from '../table/records/unfinished-work.ts';
import { type UserRecord, userRecord } from '../table/records/user.ts';
import { check, transactIfHolds, update, type Write } from '../table/write.ts';

const copiesPerStep = 100;
const copiesAtOnce = 10;

/**
 * One step of copying an account's address to its members and tokens; queues the next while any is left. Safe to run
 * twice, concurrently, or late: each write requires that the account still has the address, and whatever has it already
 * is left alone. A minute later, another step finds what requests added that had read the earlier address.
 */
export async function copyEmail(job: CopyEmail, log: Log): Promise<void> {
  const { userId, isLate } = job;
  const user = await find(at(userRecord, userId));
  if (user === undefined) return;
  const [memberships, tokens] = await Promise.all([
    list(membershipRecord, ranges.memberships(userId)),
    list(tokenRecord, ranges.tokens(userId)),
  ]);
  const members = await readAll(memberships.map(({ orgSlug }) => at(memberRecord, orgSlug, userId)));
  const isBehind = (copy: { email: string } | undefined) => copy !== undefined && copy.email !== user.email;
  const copies = [
    ...memberships.filter((_, index) => isBehind(members[index])).map(membership => ofMember(user, membership)),
    ...tokens
      .filter(isBehind)
      .map(({ hash }) => [update(at(tokenRecord, userId, hash), copyOf(user), { if: isThere })]),
  ];
  const hasAddress = check(at(userRecord, userId), { if: { email: equals(user.email) } });
  for (const chunk of chunksOf(copiesAtOnce, copies.slice(0, copiesPerStep))) {
    await Promise.all(chunk.map(writes => transactIfHolds([hasAddress, ...writes])));
  }
  if (copies.length > copiesPerStep) {
    await queueJob(job);
    return;
  }
  if (isLate !== true) {
    await queueJob({ ...job, isLate: true }, lastRequestsSeconds);
    return;
  }
  await transactIfHolds([hasAddress, endAccountWork(userId)]);
  log.info('copied an address', { userId });
}

const copyOf = ({ email }: UserRecord) => ({ set: { email } });

/** Fails if the member or the organization is gone, and then nothing needs the address. */
function ofMember(
  user: UserRecord,
  { organizationId: id, orgSlug: slug }: { organizationId: string; orgSlug: string },
) {
  const copy: Write = update(at(memberRecord, slug, user.id), copyOf(user), { if: isThere });
  return [copy, renewAccess({ id, slug })];
}
