import { expect, test } from 'vitest';
import { exportKindsTable } from '#infra/build/export-kinds.ts';
import { itemKinds } from '#lib/portability/item-kinds.ts';
import { read } from '#test/docs/pages.ts';
import { entities } from '#test/support/invariants.ts';

test('every kind of item says how it is exported, or why it is left out', () => {
  expect(Object.keys(itemKinds).sort()).toEqual(Object.keys(entities).sort());
});

test('the documentation has the same list', () => {
  expect(read('docs/organization-export.md')).toContain(exportKindsTable());
});
