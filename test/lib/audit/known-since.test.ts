import { beforeEach, describe, expect, it } from 'vitest';
import { knownSince } from '#lib/audit/known-since.ts';
import type { PlanName } from '#lib/contracts/fields/limits.ts';
import { planConfigsMs } from '#lib/plans/effective-limits.ts';
import { at, find } from '#lib/table/read.ts';
import { type OrganizationRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { planConfigsRecord } from '#lib/table/records/plan-configs.ts';
import { put, putAlone, remove, transact } from '#lib/table/write.ts';
import { startApi } from '#test/support/api.ts';
import { fresh, shared } from '#test/support/fixtures.ts';
import { seedOwner, seedPerson } from '#test/support/people.ts';
import { auditEntry, seedAudit } from '#test/support/seed-audit.ts';

const api = shared(startApi);
const owner = fresh(seedOwner);
beforeEach(async () => {
  await transact([remove(at(planConfigsRecord))]);
});

const dayMs = 86_400_000;
/** A day's first millisecond, so that the day of each time is known. */
const startMs = Date.parse('2026-03-01T00:00:00.000Z');
const day = (n: number) => startMs + n * dayMs;

/** The organization as it is on day 100, with what it was before in its log. It was created on day 0. */
async function afterChanges(
  now: { plan: PlanName; days?: number },
  ...changes: { on: number; from: PlanName | { days?: number } }[]
): Promise<OrganizationRecord> {
  const entries = changes.map(({ on, from }) =>
    typeof from === 'string'
      ? auditEntry('billing.plan_changed', day(on), { details: { from, to: 'pro' } })
      : auditEntry('organization.limits_changed', day(on), { details: { from: overrides(from), to: {} } }),
  );
  await seedAudit(owner.organization.id, entries);
  const stored = await find(at(organizationRecord, owner.organization.slug));
  if (stored === undefined) throw new Error('The organization is not stored.');
  return {
    ...stored,
    plan: now.plan,
    limitOverrides: overrides(now),
    createdAt: new Date(startMs).toISOString(),
  };
}

const overrides = ({ days }: { days?: number }): Record<string, number> =>
  days === undefined ? {} : { auditRetentionDays: days };

const known = (organization: OrganizationRecord, on: number) => knownSince(organization, day(on) + 1);

describe('the time since which the log has every entry', () => {
  it('is that of the retention, or of the organization if it is younger', async () => {
    const organization = await afterChanges({ plan: 'free' });
    expect([await known(organization, 20), await known(organization, 100)]).toEqual([day(0), day(70)]);
    const unlimited = await afterChanges({ plan: 'enterprise' });
    expect(await known(unlimited, 1000)).toBe(day(0));
  });

  it('remembers a plan that kept less, until nothing of it is missing', async () => {
    const organization = await afterChanges({ plan: 'enterprise' }, { on: 50, from: 'free' });
    expect(await known(organization, 60)).toBe(day(30));
    expect(await known(organization, 300)).toBe(day(50) + planConfigsMs);
  });

  it('is that of the plan which was in force, whatever override was added later', async () => {
    const changes = [{ on: 40, from: 'free' } as const, { on: 60, from: {} }];
    const organization = await afterChanges({ plan: 'pro', days: 1000 }, ...changes);
    expect(await known(organization, 65)).toBe(day(35));
    expect(await known(organization, 90)).toBe(day(40) + planConfigsMs);
  });

  it('is that of the override which was in force, whatever plan came later', async () => {
    const changes = [{ on: 40, from: { days: 5 } } as const, { on: 60, from: 'free' } as const];
    const organization = await afterChanges({ plan: 'enterprise' }, ...changes);
    expect(await known(organization, 42)).toBe(day(37));
    expect(await known(organization, 80)).toBe(day(50));
    expect(await known(organization, 95)).toBe(day(60) + planConfigsMs);
  });

  it('is not put off by a plan that kept less for a time of which everything is still kept', async () => {
    const changes = [{ on: 88, from: 'enterprise' } as const, { on: 90, from: 'free' } as const];
    const organization = await afterChanges({ plan: 'enterprise' }, ...changes);
    expect(await known(organization, 100)).toBe(day(0));
    expect(await known(organization, 130)).toBe(day(90) + planConfigsMs);
  });

  it('is the time of the change if nothing was kept before', async () => {
    const organization = await afterChanges({ plan: 'pro', days: 90 }, { on: 99, from: { days: 0 } });
    expect(await known(organization, 100)).toBe(day(99) + planConfigsMs);
    expect(await known({ ...organization, limitOverrides: { auditRetentionDays: 0 } }, 100)).toBe(day(100) + 1);
  });

  it('remembers that the configuration of the plan kept less, unless an override took precedence', async () => {
    const raised = { pro: { days: 10, untilMs: day(50) } };
    await putAlone(put(at(planConfigsRecord), { plans: { pro: { auditRetentionDays: 1000 } }, raised }));
    expect(await known(await afterChanges({ plan: 'pro' }), 55)).toBe(day(45));
    expect(await known(await afterChanges({ plan: 'pro', days: 500 }), 55)).toBe(day(0));
  });

  it('counts a plan and an override that were changed together as one change', async () => {
    const platform = await seedPerson({ isAdmin: true });
    const change = async (body: object) => {
      const answer = await api.patch(`/admin/orgs/${owner.organization.id}`, body, platform.session);
      expect(answer.status).toBe(200);
    };
    await change({ plan: 'enterprise' });
    await change({ plan: 'free', limitOverrides: { auditRetentionDays: 1000 } });
    const stored = await find(at(organizationRecord, owner.organization.slug));
    if (stored === undefined) throw new Error('The organization is not stored.');
    const organization = { ...stored, createdAt: new Date(Date.now() - 500 * dayMs).toISOString() };
    const inAYear = Date.now() + 365 * dayMs;
    // Only the plan of the beginning kept less.
    const [first] = (await api.get(`/audit/${organization.id}?action=billing.plan_changed`, owner.session)).body.entries
      .map(({ createdAt }: { createdAt: string }) => Date.parse(createdAt))
      .toSorted((a: number, b: number) => a - b);
    expect(await knownSince(organization, inAYear)).toBe(first + planConfigsMs);
  });
});
