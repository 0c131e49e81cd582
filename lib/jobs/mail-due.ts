import { createHash, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { managesProject, memberSees } from '../contracts/fields/member-rights.ts';
import { hasFreshRights } from '../contracts/fields/role.ts';
import type { Log } from '../core/logger.ts';
import { dayMs, minuteMs } from '../core/time.ts';
import { dueMail } from '../mail/due-mails.ts';
import { MailMayBeSent, sendMailOnce } from '../mail/send-mail.ts';
import { type DueValue, dueValues, findDueEnvironments, type OnRead } from '../projects/due/due-values.ts';
import { storedAges } from '../projects/due/key-ages.ts';
import { isServingRegion } from '../table/client.ts';
import { equals, isActive, isNew } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, type Read } from '../table/read.ts';
import { type DueLettersRecord, dueLettersRecord, keyAgesRecord } from '../table/records/due.ts';
import { environmentStateRecord } from '../table/records/environment.ts';
import {
  directoryBySlugRecord,
  type MemberRecord,
  memberRecord,
  type OrganizationRecord,
  organizationRecord,
} from '../table/records/organization.ts';
import { check, put, transactIfHolds } from '../table/write.ts';

/*
 * A letter is noted before it is sent, and the note is taken back only if SES certainly has no letter. So no letter is
 * sent twice. What was passed over, because a run was late or a letter was lost, is in the next letter.
 */

/** For how many days before it is due a value is announced: by the calendar, so that a run's hour doesn't matter. */
const announcedDays = [0, 3, 14] as const;

const DailyRun = z.object({ at: z.iso.datetime({ offset: true }).optional() });

const organizationsAtOnce = 8;
/** The function's timeout is a minute later. */
const longestRunMs = 4 * minuteMs;

/**
 * Mails everybody what has to be renewed, and keeps the ages of the values.
 * @param event may name a time on a developer's machine: the run is as if it were then
 * @throws Error if an organization failed or time ran out: the run can be repeated at once
 */
export async function mailDue(event: unknown, log: Log): Promise<void> {
  const { at: time } = DailyRun.parse(event);
  const nowMs = time === undefined ? Date.now() : Date.parse(time);
  if (!(await isServingRegion())) return;
  const endsAt = Date.now() + longestRunMs;
  const organizations = await list(directoryBySlugRecord, ranges.directoryBySlug(''));
  // From another one each time, so that a few runs reach all.
  const first = Math.floor(Math.random() * organizations.length);
  const next = [...organizations.slice(first), ...organizations.slice(0, first)].values();
  let left = 0;
  const mailInTurn = async () => {
    for (const { id, slug } of next) {
      const isDone = Date.now() < endsAt && (await mailOrganization({ id, slug }, nowMs, log));
      if (!isDone) left += 1;
    }
  };
  await Promise.all(Array.from({ length: organizationsAtOnce }, mailInTurn));
  log.info('mailed what is due', { organizations: organizations.length, left });
  if (left > 0) throw new Error(`What is due was not mailed to everybody in ${left} organizations.`);
}

/** @returns false if it has to be repeated; the log has the reason */
async function mailOrganization(listed: { id: string; slug: string }, nowMs: number, log: Log): Promise<boolean> {
  try {
    const environments = await findDueEnvironments(listed);
    if (environments.length === 0) return true;
    const until = new Date(startOfDay(nowMs) + (announcedDays[2] + 1) * dayMs - 1).toISOString();
    const [organization, members, values] = await Promise.all([
      find(at(organizationRecord, listed.slug)),
      list(memberRecord, ranges.members(listed.slug)),
      dueValues(listed.slug, environments, until, keepAges),
    ]);
    if (organization?.id !== listed.id || organization.status !== 'active') return true;
    let isDone = true;
    for (const [member, own] of lettersOf(members, values, nowMs)) {
      isDone = (await mailMember(organization, member, own, { nowMs, log })) && isDone;
    }
    return isDone;
  } catch (error) {
    log.error('could not mail what is due', error, { organizationId: listed.id });
    return false;
  }
}

/** Keeps what was read, unless it is stored. The state is checked, so that nothing is left of an erased environment. */
const keepAges: OnRead = async ({ orgSlug, found: { project, environment }, state, stored, ages }) => {
  const path = { orgSlug, project: project.slug, env: environment.slug };
  const record = storedAges(state, ages);
  const isStored = stored?.environmentId === state.id && stored.revision === state.revision;
  if (isStored && stored.ages.length === ages.size && stored.ages.every(([key]) => ages.has(key))) return;
  await transactIfHolds([
    check(at(environmentStateRecord, path), { if: isActive(state.id) }),
    put(at(keyAgesRecord, path), record),
  ]);
};

/** The values of each letter: they go to their owner, or without one who sees them, to those who manage the project. */
function lettersOf(members: readonly MemberRecord[], values: readonly DueValue[], nowMs: number) {
  const byId = new Map(members.map(member => [member.userId, member]));
  const letters = new Map<MemberRecord, DueValue[]>();
  for (const value of values) {
    const owner = byId.get(value.shown.owner ?? '');
    const isOwned = owner !== undefined && sees(owner, value, nowMs);
    for (const member of isOwned ? [owner] : members.filter(one => managesValue(one, value, nowMs))) {
      const letter = letters.get(member);
      if (letter === undefined) letters.set(member, [value]);
      else letter.push(value);
    }
  }
  return letters;
}

function managesValue(member: MemberRecord, value: DueValue, nowMs: number): boolean {
  const manages = hasFreshRights(member.role) || managesProject(member, value.projectId);
  return manages && sees(member, value, nowMs);
}

function sees(member: MemberRecord, { projectId, environmentId }: DueValue, nowMs: number): boolean {
  return memberSees(member, { id: environmentId, projectId }, nowMs);
}

/** Enough for years, and an item below 400 KB. */
const maximumMailed = 8000;

const startOfDay = (timeMs: number): number => timeMs - (timeMs % dayMs);
const daysUntil = (dueAt: string, nowMs: number): number => (startOfDay(Date.parse(dueAt)) - startOfDay(nowMs)) / dayMs;
const announcedBy = (days: number): number => announcedDays.find(limit => days <= limit) ?? announcedDays[2];

/** Identifies a value and its due time. */
function digestOf({ environmentId, shown: { key, version, dueAt } }: DueValue): string {
  const text = JSON.stringify([environmentId, key, version, dueAt]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** What is announced now, and the announcements to remember: those of values that are still due are never forgotten. */
function announcementsFor(
  mailed: ReadonlyMap<string, number>,
  values: readonly DueValue[],
  nowMs: number,
): { news: { value: DueValue; days: number }[]; mailed: [string, number][] } {
  const dated = values.map(value => {
    const days = daysUntil(value.shown.dueAt, nowMs);
    return { value, days, digest: digestOf(value), limit: announcedBy(days) };
  });
  const due = new Set(dated.map(({ digest }) => digest));
  const dueMailed = [...mailed].filter(([digest]) => due.has(digest));
  const news = dated
    .filter(({ digest, limit }) => limit < (mailed.get(digest) ?? Number.POSITIVE_INFINITY))
    .slice(0, maximumMailed - dueMailed.length);
  const others = [...mailed].filter(([digest]) => !due.has(digest));
  const remembered = new Map([...others, ...dueMailed, ...news.map(one => [one.digest, one.limit] as const)]);
  return { news, mailed: [...remembered].slice(-maximumMailed) };
}

/** @returns false if the letter has to be sent later */
async function mailMember(
  organization: OrganizationRecord,
  { userId, email }: MemberRecord,
  values: readonly DueValue[],
  { nowMs, log }: { nowMs: number; log: Log },
): Promise<boolean> {
  const item = at(dueLettersRecord, organization.slug, userId);
  const stored = await find(item);
  const mailedBefore = stored?.organizationId === organization.id ? stored.mailed : [];
  const { news, mailed } = announcementsFor(new Map(mailedBefore), values, nowMs);
  if (news.length === 0) return true;
  const mail = await dueMail(
    organization,
    news.map(({ value, days }) => ({ ...value.shown, days })),
  );
  const letter: Letter = { organization, item, stored, noted: newNote(organization, mailed) };
  const withdrawn = newNote(organization, mailedBefore);
  // Otherwise another run sends the letter, or the organization is gone.
  if (!(await noteLetter(letter, withdrawn))) return true;
  try {
    await sendMailOnce(email, mail);
    return true;
  } catch (error) {
    log.error('could not send an e-mail about what is due', error, { organizationId: organization.id });
    // No repetition helps with a malformed address.
    const isFinal = error instanceof MailMayBeSent || (error instanceof Error && error.name === 'BadRequestException');
    if (isFinal) return true;
    await transactIfHolds([put(item, withdrawn, { if: { nonce: equals(letter.noted.nonce) } })]);
    return false;
  }
}

interface Letter {
  organization: OrganizationRecord;
  item: Read<DueLettersRecord>;
  stored: DueLettersRecord | undefined;
  noted: DueLettersRecord;
}

const newNote = ({ id }: OrganizationRecord, mailed: DueLettersRecord['mailed']): DueLettersRecord => ({
  organizationId: id,
  mailed,
  nonce: randomUUID(),
});

/**
 * Notes a letter, which is sent afterwards. A note whose response is lost may still be stored, even later, so the item
 * is then written as it was: either that succeeds, and the note is rejected from then on, or the note was stored.
 * @returns whether the letter has to be sent by this run
 */
async function noteLetter({ organization, item, stored, noted }: Letter, withdrawn: DueLettersRecord) {
  const putIfSame = (note: DueLettersRecord) => [
    check(at(organizationRecord, organization.slug), { if: isActive(organization.id) }),
    put(item, note, { if: stored === undefined ? isNew : { nonce: equals(stored.nonce) } }),
  ];
  try {
    return await transactIfHolds(putIfSame(noted));
  } catch (error) {
    if (await transactIfHolds(putIfSame(withdrawn))) throw error;
    return (await find(item))?.nonce === noted.nonce;
  }
}
