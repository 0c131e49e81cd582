import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lateWritesMs } from '#infra/repair/move-service.ts';
import { synthesize } from '#test/support/installation.ts';
import { chapterOf, root, rowsOf } from './pages.ts';

const chapter = chapterOf('docs/operations.md', '## What a disaster costs');
const rows = rowsOf(chapter, 'Scenario');

it('each disaster has what it costs, and a test that holds it unless none can', () => {
  expect(rows.map(([scenario = '']) => scenario.split(',')[0])).toEqual([
    'a bad deployment',
    'a deleted table',
    'a corrupted table',
    'a lost region',
    'a lost region',
    'a disabled key',
    'a deleted key',
    'a lost account',
  ]);
  const named = rows.flatMap(([, , , held = '']) => [...held.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path));
  expect(named).toHaveLength(6);
  expect(named.filter(path => !existsSync(join(root, path)))).toEqual([]);
});

it('the times follow from the settings', () => {
  // No region serves for so long while the service moves; the rest is for the domain.
  expect(lateWritesMs / 60_000).toBe(2);
  const failover = chapterOf('docs/runbooks/region-loss.md', '## Fail over');
  expect(failover).toContain('For two minutes neither region serves');
  const tables = [...synthesize().templates.values()]
    .flatMap(({ Resources: resources }) => Object.values(resources))
    .filter(({ Type }) => Type === 'AWS::DynamoDB::GlobalTable');
  const replicas = tables.flatMap(({ Properties }) => Properties.Replicas);
  const days = replicas.map(({ PointInTimeRecoverySpecification: recovery }) => recovery.RecoveryPeriodInDays);
  expect(days).toEqual([35]);
  expect(chapter).toContain(`Point-in-time recovery reaches back ${days[0]} days`);
});
