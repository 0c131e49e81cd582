import { expect, it } from 'vitest';
import { ExportRecord } from '#lib/contracts/organizations/export-records.ts';

const templateKey = {
  record: 'template-key',
  key: 'API_KEY',
  projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
  required: false,
  createdAt: '2026-01-31T09:26:53.589Z',
};
const isRecord = (fields: object) => ExportRecord.safeParse({ ...templateKey, ...fields }).success;

it('a template key of an export leads to no script and to no day that has no date, as in a request', () => {
  expect(isRecord({ renewUrl: 'https://dashboard.example.com/keys', maxAgeDays: 3650 })).toBe(true);
  expect(isRecord({ renewUrl: 'javascript:alert(1)' })).toBe(false);
  expect(isRecord({ maxAgeDays: 1e15 })).toBe(false);
});
