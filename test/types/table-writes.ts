import { absent, atLeast, attribute, equals, includes, isNew, isThere, lessThan } from '#lib/table/expressions.ts';
import { keys } from '#lib/table/keys.ts';
import { at } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { rateRecord } from '#lib/table/records/limits.ts';
import { type OrganizationRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { routeHourRecord } from '#lib/table/records/platform.ts';
import { projectRecord } from '#lib/table/records/project.ts';
import { headRecord } from '#lib/table/records/secret.ts';
import { userRecord } from '#lib/table/records/user.ts';
import { check, put, remove, update, upsert, type Write } from '#lib/table/write.ts';

/* `tsc` is the test: each line below a `@ts-expect-error` must be rejected, every other accepted. Nothing runs this. */

const user = at(userRecord, 'id');
const organization = at(organizationRecord, 'acme');
const project = at(projectRecord, 'acme', 'shop');
const path = { orgSlug: 'acme', project: 'shop', env: 'dev' };
const state = at(environmentStateRecord, path);
const hour = at(routeHourRecord, '2026-01-01', '10', 'GET /v1/health');
const rate = at(rateRecord, 'login', 'subject');
const account = {
  id: 'id',
  email: 'ada@example.com',
  name: 'Ada',
  emailVerified: false,
  isAdmin: false,
  passwordHash: 'hash',
  creations: 0,
  sessionEpoch: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
};
const counter = 'projectCount' as keyof Pick<OrganizationRecord, 'projectCount' | 'webhookCount'>;
// @ts-expect-error a name that no organization has
export type Misspelt = keyof Pick<OrganizationRecord, 'projectCount' | 'webhoookCount'>;

export const names: Write[] = [
  update(user, { set: { passwordHash: 'hash' } }, { if: { sessionEpoch: equals(1) } }),
  // @ts-expect-error a misspelt attribute
  update(user, { set: { passwrdHash: 'hash' } }),
  // @ts-expect-error a misspelt attribute in a condition
  update(user, { set: { name: 'Ada' } }, { if: { sesionEpoch: equals(1) } }),
  // @ts-expect-error in one condition of several
  update(user, { set: { name: 'Ada' } }, { if: [isNew, { sesionEpoch: equals(1) }] }),
  // @ts-expect-error in a removal's condition
  remove(user, { if: { sesionEpoch: equals(1) } }),
  // @ts-expect-error in a check's condition
  check(user, { if: { sesionEpoch: equals(1) } }),
  // @ts-expect-error in a put's condition
  put(user, account, { if: { sesionEpoch: equals(1) } }),
  // @ts-expect-error an attribute too many
  put(user, { ...account, nickname: 'Ada' }),
  // @ts-expect-error a counter that does not exist
  update(organization, { add: { projectsCount: 1 } }),
  // @ts-expect-error in an upsert
  upsert(rate, { setIfAbsent: { expiry: 1 } }),
];

export const values: Write[] = [
  update(organization, { set: { status: 'deleting' } }, { if: { status: equals('active') } }),
  // @ts-expect-error a number where a text is stored
  update(user, { set: { passwordHash: 1 } }),
  // @ts-expect-error a text that is none of those that the attribute takes
  update(organization, { set: { status: 'deleted' } }),
  // @ts-expect-error compared with a text that it never is
  update(organization, { set: { name: 'Acme' } }, { if: { status: equals('deleted') } }),
  // @ts-expect-error compared with nothing, which DynamoDB refuses
  update(at(headRecord, path, 'd'), { set: { revision: 1 } }, { if: { keyVersion: equals(undefined) } }),
  // @ts-expect-error a record without one of its attributes
  put(user, { id: 'id' }),
  update(state, { set: { pending: undefined } }),
  // @ts-expect-error the removal of an attribute that every record has
  update(state, { set: { revision: undefined } }),
];

export const order: Write[] = [
  update(organization, { add: { projectCount: 1 } }, { if: { projectCount: lessThan(5), createdAt: atLeast('2026') } }),
  // @ts-expect-error a text added to
  update(organization, { add: { name: 1 } }),
  // @ts-expect-error a truth value has no order
  update(user, { set: { name: 'Ada' } }, { if: { emailVerified: atLeast(1) } }),
  // @ts-expect-error a map has no order
  update(organization, { set: { name: 'Acme' } }, { if: { limitOverrides: atLeast(1) } }),
  // @ts-expect-error a number compared with a text
  update(organization, { set: { name: 'Acme' } }, { if: { projectCount: lessThan('5') } }),
];

export const maps: Write[] = [
  update(state, { set: { 'pending.heartbeat': 1 } }, { if: { 'pending.fences': equals(8) } }),
  // @ts-expect-error a misspelt attribute of a map
  update(state, { set: { 'pending.heartbeet': 1 } }),
  // @ts-expect-error an ill-typed attribute of a map
  update(state, { set: { 'pending.heartbeat': '1' } }),
  // @ts-expect-error a misspelt attribute of a map in a condition
  update(state, { set: { pending: undefined } }, { if: { 'pending.fence': equals(8) } }),
  // @ts-expect-error a path into a text
  update(state, { set: { 'slug.length': 1 } }),
  // A map with keys of its own.
  update(project, { set: { 'wrappedKeys.2': new Uint8Array() } }, { if: { 'wrappedKeys.1': absent } }),
  update(organization, { set: { 'limitOverrides.maxProjects': 5 } }),
  // @ts-expect-error a text among wrapped keys
  update(project, { set: { 'wrappedKeys.2': 'key' } }),
  // @ts-expect-error a text among limits
  update(organization, { set: { 'limitOverrides.maxProjects': '5' } }),
  // @ts-expect-error bytes added to
  update(project, { add: { 'wrappedKeys.2': 1 } }),
  // A map that may be null.
  update(project, { set: { 'rotation.status': 'completed' } }, { if: { 'rotation.reencrypted': lessThan(5) } }),
  // @ts-expect-error an ill-typed attribute of a map that may be null
  update(project, { set: { 'rotation.status': 'over' } }),
];

export const chosenNames: Write[] = [
  upsert(hour, { add: { requests: 1, b12: 1 } }),
  // @ts-expect-error no bucket
  upsert(hour, { add: { bucket12: 1 } }),
  // @ts-expect-error the route is a text
  upsert(hour, { set: { route: 1 } }),
  update(organization, { add: attribute(counter, 1) }, { if: attribute(counter, lessThan(5)) }),
  // @ts-expect-error a text in a counter
  update(organization, { set: attribute(counter, 'five') }),
];

export const sets: Write[] = [
  update(user, { discard: { recoveryCodes: new Set(['hash']) } }, { if: { recoveryCodes: includes('hash') } }),
  // @ts-expect-error not a set
  update(user, { discard: { creations: new Set(['hash']) } }),
  // @ts-expect-error elements of another type
  update(user, { discard: { recoveryCodes: new Set([1]) } }),
  // @ts-expect-error looked for in a number
  upsert(rate, { add: { tries: 1 } }, { if: { tries: includes('hash') } }),
];

export const presence: Write[] = [
  put(user, account, { if: isNew }),
  update(state, { set: { status: 'deleting' } }, { if: { ...isThere, id: equals('id') } }),
  remove(organization, { if: isThere }),
  remove({ key: keys.user('id') }, { if: isThere }),
  // @ts-expect-error of a mere key no attribute is known
  remove({ key: keys.user('id') }, { if: { name: equals('Ada') } }),
  // @ts-expect-error the key is no text to compare with
  update(user, { set: { name: 'Ada' } }, { if: { pk: equals('USER#id') } }),
];

export const refusals: Write[] = [
  remove(organization, { if: isThere, refused: current => new Error(current?.status === 'active' ? 'a' : 'b') }),
  // @ts-expect-error a misspelt attribute of the item that is there
  remove(organization, { if: isThere, refused: current => new Error(current?.state) }),
  // @ts-expect-error a status that no organization has
  remove(organization, { if: isThere, refused: current => new Error(current?.status === 'gone' ? 'a' : 'b') }),
  // @ts-expect-error an older item may lack any attribute
  remove(organization, { if: isThere, refused: current => new Error(current?.slug.toUpperCase()) }),
];
