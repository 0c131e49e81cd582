import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { createCredential } from '#lib/crypto/credentials.ts';
import { at, find } from '#lib/table/read.ts';
import { memberRecord, organizationRecord, recoveryLinkRecord } from '#lib/table/records/organization.ts';
import { put, transact, update } from '#lib/table/write.ts';
import type { Answer, Api } from './api.ts';
import { eventually } from './eventually.ts';
import { type Person, seedPerson } from './people.ts';
import { expectStatus } from './sample-requests.ts';

export const recoveryPath = ({ organization }: Pick<Person, 'organization'>) =>
  `/admin/orgs/${organization.id}/recovery`;

/** The organization's last recovery, as an administrator sees it. */
export async function recoveryOf(api: Api, { organization }: Pick<Person, 'organization'>, admin: Person) {
  return (await expectStatus(api.get(`/admin/orgs/${organization.id}`, admin.session), 200)).body.recovery;
}

/** Starts a recovery, and waits until everybody has been mailed. @returns its id */
export async function startRecovery(
  api: Api,
  lost: Person,
  admin: Person,
  { email }: { email: string },
): Promise<string> {
  const body = { email, reason: 'Ticket 4711' };
  const { recovery } = (await expectStatus(api.post(recoveryPath(lost), body, admin.session), 201)).body;
  await eventually(async () => expect((await recoveryOf(api, lost, admin)).waitsUntil).not.toBeNull());
  return recovery.id;
}

export const advanceRecovery = (api: Api, lost: Person, by: Person, id: string, step: string): Promise<Answer> =>
  api.patch(recoveryPath(lost), { id, step }, by.session);

/** As if the mails had been sent that many hours ago. */
export async function passHours({ organization }: Person, hours: number): Promise<void> {
  const notifiedAt = new Date(Date.now() - hours * 3_600_000).toISOString();
  await transact([update(at(organizationRecord, organization.slug), { set: { 'recovery.notifiedAt': notifiedAt } })]);
}

interface Seeded {
  /** By default nobody has approved it. */
  approvedBy?: Person;
}

/** A recovery that everybody was mailed about 73 hours ago, and a link that stops it. */
export async function seedRecovery(lost: Person, heir: Person, startedBy: Person, { approvedBy }: Seeded = {}) {
  const { id: organizationId, slug } = lost.organization;
  const referenceTo = ({ user, email }: Person) => ({ id: user.id, email });
  const startedAt = new Date(Date.now() - 73 * 3_600_000).toISOString();
  const member = await find(at(memberRecord, slug, heir.user.id));
  const recovery = {
    id: randomUUID(),
    state: 'waiting',
    reason: 'Ticket 4711',
    newOwner: { userId: heir.user.id, email: heir.email, memberId: member?.id ?? null },
    startedBy: referenceTo(startedBy),
    startedAt,
    approvedBy: approvedBy === undefined ? null : referenceTo(approvedBy),
    notifiedAt: startedAt,
    endedAt: null,
  } as const;
  const { secret: token, hash } = createCredential(organizationId);
  const link = { recoveryId: recovery.id, email: heir.email, expiresAt: Math.floor(Date.now() / 1000) + 3600 };
  await transact([
    update(at(organizationRecord, slug), { set: { recovery } }),
    put(at(recoveryLinkRecord, slug, hash), link),
  ]);
  return { id: recovery.id, token };
}

/** The state in the organization's item. */
export async function storedRecovery({ organization }: Pick<Person, 'organization'>) {
  return (await find(at(organizationRecord, organization.slug)))?.recovery;
}

/** An organization whose only owner is lost, and a future owner who is a developer in it. */
export async function lostOrganization(api: Api, joins: (api: Api, owner: Person, guest: Person) => Promise<unknown>) {
  const [lost, heir] = await Promise.all([seedPerson({ emailVerified: true }), seedPerson({ emailVerified: true })]);
  await joins(api, lost, heir);
  return { lost, heir };
}
