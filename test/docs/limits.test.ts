import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mostLayers } from '#clients/cli/src/settings/settings-file.ts';
import { maximumOffset } from '#lib/contracts/audit/entries.ts';
import { maximumBodyBytes } from '#lib/contracts/contract.ts';
import { maximumNetworks } from '#lib/contracts/fields/allowed-networks.ts';
import { grantMinutes, maximumGrantRequests, maximumGrants } from '#lib/contracts/fields/grant.ts';
import {
  maximumIdentities,
  maximumIdentityEnvironments,
  maximumLiveTokens,
  maximumTokenMinutes,
} from '#lib/contracts/fields/identity-limits.ts';
import { exampleLimits, limitNames, planNames } from '#lib/contracts/fields/limits.ts';
import { maxApprovals, maxOpenProposals, maxProposalDays } from '#lib/contracts/fields/proposal.ts';
import { maxPageSize } from '#lib/contracts/fields/query.ts';
import { maxKeysPerChange, maxValueBytes, secretKeyPattern } from '#lib/contracts/fields/secret-rules.ts';
import { maximumDomains } from '#lib/contracts/organizations/sign-in-settings.ts';
import { maximumLayers } from '#lib/contracts/secrets/layers.ts';
import { pullSecrets } from '#lib/contracts/secrets/secrets.ts';
import { settings } from '#lib/core/settings.ts';
import { keptDeliveries } from '#lib/deliveries/log-delivery.ts';
import { maximumChangeUnits } from '#lib/secrets/change/require-one-change.ts';
import { maximumDepth } from '#lib/secrets/change/require-references.ts';
import { maximumChangesSince } from '#lib/secrets/engine/read-past.ts';
import { maxEnvironmentBytes } from '#lib/secrets/engine/secret-size.ts';
import { maximumVersionsAtOnce } from '#lib/secrets/list-versions.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/limits.md'), 'utf8');

/** The rows of a chapter's table, without its header. */
function rowsOf(chapter: string): string[][] {
  const [, text = ''] = page.split(`\n## ${chapter}\n`);
  const lines = text.split('\n## ')[0]?.split('\n') ?? [];
  const cells = lines.filter(line => line.startsWith('| ')).map(line => line.split('|').slice(1, -1));
  return cells.slice(1).map(row => row.map(cell => cell.trim()));
}

const shown = (limit: number) => (limit < 0 ? 'unlimited' : limit.toLocaleString('en'));
const valuesOf = (chapter: string) => rowsOf(chapter).map(row => row[1]);

/** The largest length that this accepts, found by asking. */
function longest(accepts: (length: number) => boolean): number {
  return Array.from({ length: 2000 }, (_, index) => index + 1).findLast(accepts) ?? 0;
}

it('shows the limits of each plan', () => {
  const expected = limitNames.map(name => planNames.map(plan => shown(exampleLimits(plan)[name])));
  expect(rowsOf('Plans').map(row => row.slice(1))).toEqual(expected);
});

it('shows the limits of secrets', () => {
  const longestKey = longest(length => secretKeyPattern.test('A'.repeat(length)));
  const mostKeys = longest(
    count => pullSecrets.query.safeParse({ keys: Array.from({ length: count }, (_, i) => `K${i}`).join(',') }).success,
  );
  expect(valuesOf('Secrets')).toEqual(
    [
      longestKey,
      maxValueBytes,
      maxKeysPerChange,
      maxOpenProposals,
      maxProposalDays,
      maxApprovals,
      maximumDepth,
      maxEnvironmentBytes,
      maximumBodyBytes,
      maximumChangeUnits,
      maximumChangesSince,
      maximumVersionsAtOnce,
      mostKeys,
      maxPageSize,
      maximumLayers,
      mostLayers,
    ].map(shown),
  );
});

it('shows the limits of people and machines', () => {
  const [tokens, ...others] = valuesOf('People and machines');
  // Tried against the service by the tests of tokens.
  expect(tokens).toBe('100');
  expect(others).toEqual([
    shown(maximumGrants),
    shown(maximumGrantRequests),
    shown(grantMinutes.maximum),
    shown(maximumIdentities),
    shown(maximumIdentityEnvironments),
    shown(maximumLiveTokens),
    shown(maximumTokenMinutes),
    shown(maximumDomains),
    `${maximumNetworks} each`,
    shown(keptDeliveries),
    shown(maximumOffset),
  ]);
});

it('shows the default of each setting that limits requests', () => {
  const rows = rowsOf('Requests');
  expect(rows).toHaveLength(5);
  for (const [, value, name = ''] of rows) {
    const setting = name.replaceAll('`', '') as keyof ReturnType<typeof settings>;
    expect([setting, value]).toEqual([setting, shown(settings()[setting] as number)]);
  }
});
