import { changedFields } from '../access/changed-fields.ts';
import type { MemberContext } from '../access/request-context.ts';
import { organizationNotFound } from '../core/errors.ts';
import { asRead, equals } from '../table/expressions.ts';
import {
  directoryByNameRecord,
  directoryBySlugRecord,
  type OrganizationRecord,
  organizationRecord,
} from '../table/records/organization.ts';
import { at, find, put, remove, retryWithFreshRead, transact, update, type Write } from '../table/store.ts';

/**
 * Renames the organization, here and in the directory. The name it has already changes nothing.
 * @throws organization_not_found where another request deleted it first
 */
export async function renameOrganization(
  context: MemberContext,
  { name }: { name: string },
): Promise<OrganizationRecord> {
  const { id, slug } = context.organization;
  const item = at(organizationRecord, slug);
  const known: OrganizationRecord | undefined = context.organization;
  return retryWithFreshRead(
    known,
    () => find(item),
    async (before, budget) => {
      if (before?.id !== id || before.status !== 'active') {
        throw organizationNotFound();
      }
      const after = { ...before, name };
      const details = changedFields(before, after, ['name']);
      if (details === undefined) return before;
      const condition = { ...asRead(before, ['name']), id: equals(id), status: equals('active') };
      const audit = await context.audit({
        action: 'organization.updated',
        target: { type: 'organization', id, name },
        details,
      });
      await transact(
        [update(item, { set: { name } }, { if: condition }), ...directoryWrites(before, after), audit],
        budget,
      );
      return after;
    },
  );
}

function directoryWrites(before: OrganizationRecord, { id, slug, name }: OrganizationRecord): Write[] {
  const entry = { id, slug, name };
  const [old, renamed] = [at(directoryByNameRecord, before.name, slug), at(directoryByNameRecord, name, slug)];
  // The directory ignores case, and a transaction writes an item once.
  const isMoved = old.key.sk !== renamed.key.sk;
  return [put(at(directoryBySlugRecord, slug), entry), put(renamed, entry), ...(isMoved ? [remove(old)] : [])];
}
