import { describe, expect, it } from 'vitest';
import { attributesNeverKept, renewedRevision, requireRenewal } from '#lib/table/access-revision.ts';
import { equals, isThere } from '#lib/table/expressions.ts';
import { at } from '#lib/table/read.ts';
import { identityRecord, identityRightsRecord } from '#lib/table/records/identity.ts';
import { memberRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { projectKeysRecord, projectRecord } from '#lib/table/records/project.ts';
import { check, remove, transact, update, type Write } from '#lib/table/write.ts';

const organization = at(organizationRecord, 'acme');
const member = at(memberRecord, 'acme', 'ada');
const identity = at(identityRecord, 'acme', 'pipeline');
const project = at(projectRecord, 'acme', 'shop');
const renewed = update(organization, { set: renewedRevision() });
const isErased = { if: { status: equals('deleting') } } as const;

describe('a transaction that changes what requests keep', () => {
  it.each<[string, Write]>([
    ['a role', update(member, { set: { role: 'viewer' } })],
    ['a membership', remove(member)],
    ['an identity’s trust', update(identity, { set: { trustId: 'another' } })],
    ['a data key', update(project, { set: { 'wrappedKeys.2': new Uint8Array() } })],
    ['a project’s status, with a count', update(project, { set: { status: 'deleting', environmentCount: 1 } })],
  ])('must renew the organization’s access revision: %s', async (_, change) => {
    const elsewhere = update(at(organizationRecord, 'other'), { set: renewedRevision() });
    const otherwise = [
      [],
      [elsewhere],
      [check(organization, { if: isThere })],
      [update(organization, { add: { memberCount: 1 } })],
    ];
    for (const others of otherwise) {
      expect(() => requireRenewal([change, ...others])).toThrow('without renewing');
      // Before anything is sent: there is no table here.
      await expect(transact([change, ...others])).rejects.toThrow('without renewing');
    }
    for (const others of [[renewed], [remove(organization)], [check(organization, isErased)]]) {
      expect(() => requireRenewal([change, ...others])).not.toThrow();
    }
  });

  it('need not renew it for what is never kept, or for an item that every request already rejects', () => {
    const changes = [
      update(project, { add: { environmentCount: 1 } }),
      update(project, { set: { 'rotation.reencrypted': 1, name: 'Shop' } }),
      update(identity, { set: { lastUsedAt: 'now' } }),
      check(member, { if: isThere }),
      remove(project, isErased),
    ];
    for (const change of changes) expect(() => requireRenewal([change])).not.toThrow();
    expect(() => requireRenewal([remove(project, { if: [isErased.if, isThere] })])).toThrow('without renewing');
  });
});

it('no attribute that is never kept is part of what is kept', () => {
  const wrappedKeys = { 1: new Uint8Array() };
  const shop = { id: '1', organizationId: '2', slug: 'shop', keyVersion: 1, wrappedKeys, status: 'active' as const };
  const shopItem = { pk: '', sk: '', kind: 'project', v: projectRecord.formatVersion, ...shop };
  const never = (names: readonly string[]) => Object.fromEntries(names.map(name => [name, 'never kept']));
  expect(projectKeysRecord.parse({ ...shopItem, ...never(attributesNeverKept.project) })).toEqual(shop);

  const rights = { id: '1', name: 'CI', access: 'read', role: 'viewer', projectId: null, environmentId: null } as const;
  const kept = { ...rights, trustId: '2', createdAt: 'then' };
  const item = { pk: '', sk: '', kind: 'identity', v: identityRecord.formatVersion, ...kept };
  expect(identityRightsRecord.parse({ ...item, ...never(attributesNeverKept.identity) })).toEqual(kept);
});
