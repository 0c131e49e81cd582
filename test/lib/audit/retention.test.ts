import { beforeEach, describe, expect, it } from 'vitest';
import { completeSince, earlierRetentions } from '#lib/audit/retention.ts';
import type { PlanName } from '#lib/contracts/fields/limits.ts';
import { planConfigsMs } from '#lib/plans/effective-limits.ts';
import { at, find } from '#lib/table/read.ts';
import { type OrganizationRecord, organizationRecord } from '#lib/table/records/organization.ts';
import { planConfigsRecord } from '#lib/table/records/platform.ts';
import { put, putAlone, remove, transact } from '#lib/table/write.ts';
import { useApi } from '#test/support/api.ts';
import { fresh } from '#test/support/fixtures.ts';
import { seedOwner, seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';

const api = useApi();
const owner = fresh(seedOwner);
beforeEach(() => transact([remove(at(planConfigsRecord))]));

const dayMs = 86_400_000;
/** A day's first millisecond, so that the day of each time is known. */
const startMs = Date.parse('2026-03-01T00:00:00.000Z');
const day = (n: number) => startMs + n * dayMs;

async function storedOrganization(): Promise<OrganizationRecord> {
  const stored = await find(at(organizationRecord, owner.organization.slug));
  if (stored === undefined) throw new Error('The organization is not stored.');
  return stored;
}

interface Limits {
  plan: PlanName;
  days?: number;
}

/** An organization that was created on day 0 and whose limits changed on the given days. */
async function afterChanges(first: Limits, ...changes: (Limits & { on: number })[]): Promise<OrganizationRecord> {
  const { limitOverrides: _, ...stored } = await storedOrganization();
  const withLimits = ({ plan, days }: Limits, retentions: OrganizationRecord['retentions']): OrganizationRecord => {
    const limitOverrides: Record<string, number> = days === undefined ? {} : { auditRetentionDays: days };
    return { ...stored, createdAt: new Date(startMs).toISOString(), plan, limitOverrides, retentions };
  };
  return changes.reduce(
    (before, change) => withLimits(change, earlierRetentions(before, undefined, day(change.on))),
    withLimits(first, []),
  );
}

const completeOn = async (organization: OrganizationRecord, on: number) =>
  Date.parse(await completeSince(organization, day(on) + 1));

describe('the time since which the log has every entry', () => {
  it('is that of the retention, or of the organization if it is younger', async () => {
    const organization = await afterChanges({ plan: 'free' });
    expect([await completeOn(organization, 20), await completeOn(organization, 100)]).toEqual([day(0), day(70)]);
    const unlimited = await afterChanges({ plan: 'enterprise' });
    expect(await completeOn(unlimited, 1000)).toBe(day(0));
  });

  it('remembers a plan that kept less, until nothing of it is missing', async () => {
    const organization = await afterChanges({ plan: 'free' }, { plan: 'enterprise', on: 50 });
    expect(await completeOn(organization, 60)).toBe(day(30));
    expect(await completeOn(organization, 300)).toBe(day(50) + planConfigsMs);
  });

  it('is that of the plan which was in force, whatever override was added later', async () => {
    const changes = [{ plan: 'pro', on: 40 } as const, { plan: 'pro', days: 1000, on: 60 } as const];
    const organization = await afterChanges({ plan: 'free' }, ...changes);
    expect(await completeOn(organization, 65)).toBe(day(35));
    expect(await completeOn(organization, 90)).toBe(day(40) + planConfigsMs);
  });

  it('is that of the override which was in force, whatever plan came later', async () => {
    const changes = [{ plan: 'free', on: 40 } as const, { plan: 'enterprise', on: 60 } as const];
    const organization = await afterChanges({ plan: 'free', days: 5 }, ...changes);
    expect(await completeOn(organization, 42)).toBe(day(37));
    expect(await completeOn(organization, 80)).toBe(day(50));
    expect(await completeOn(organization, 95)).toBe(day(60) + planConfigsMs);
  });

  it('is not put off by a plan that kept less for a time of which everything is still kept', async () => {
    const changes = [{ plan: 'free', on: 88 } as const, { plan: 'enterprise', on: 90 } as const];
    const organization = await afterChanges({ plan: 'enterprise' }, ...changes);
    expect(await completeOn(organization, 100)).toBe(day(0));
    expect(await completeOn(organization, 130)).toBe(day(90) + planConfigsMs);
  });

  it('is the time of the change if nothing was kept before', async () => {
    const organization = await afterChanges({ plan: 'pro', days: 0 }, { plan: 'pro', days: 90, on: 99 });
    expect(await completeOn(organization, 100)).toBe(day(99) + planConfigsMs);
    expect(await completeOn({ ...organization, limitOverrides: { auditRetentionDays: 0 } }, 100)).toBe(day(100) + 1);
  });

  it('remembers that the configuration of the plan kept less, unless an override took precedence', async () => {
    const raised = { pro: { days: 10, untilMs: day(50) } };
    await putAlone(put(at(planConfigsRecord), { plans: { pro: { auditRetentionDays: 1000 } }, raised }));
    expect(await completeOn(await afterChanges({ plan: 'pro' }), 55)).toBe(day(45));
    expect(await completeOn(await afterChanges({ plan: 'pro', days: 500 }), 55)).toBe(day(0));
  });

  it('remembers that configuration after the organization left the plan', async () => {
    const raised = { pro: { days: 10, untilMs: day(50) } };
    const configs = { plans: { pro: { auditRetentionDays: 1000 } }, raised };
    const organization = await afterChanges({ plan: 'pro' });
    const retentions = earlierRetentions(organization, configs, day(52));
    expect(await completeOn({ ...organization, plan: 'enterprise', retentions }, 55)).toBe(day(45));
  });

  it('is never earlier than it was for an organization whose plan and limits change many times', async () => {
    const plan = 'pro' as const;
    const changes = Array.from({ length: 60 }, (_, n) => ({ plan, days: 1 + ((n * 37) % 90), on: n + 1 }));
    let latest = 0;
    for (const [n, { on }] of changes.entries()) {
      const organization = await afterChanges({ plan: 'free' }, ...changes.slice(0, n + 1));
      const time = await completeOn(organization, on + 1);
      expect(time).toBeGreaterThanOrEqual(latest);
      expect(organization.retentions?.length).toBeLessThanOrEqual(21);
      latest = time;
    }
  });

  it('assumes the plan that keeps least if an organization does not say what it had before', async () => {
    const { retentions: _, ...organization } = await afterChanges({ plan: 'enterprise' });
    expect(await completeOn(organization, 100)).toBe(day(70));
    const retentions = earlierRetentions(organization, undefined, day(100));
    expect(await completeOn({ ...organization, retentions }, 110)).toBe(day(80));
    expect(await completeOn({ ...organization, retentions }, 200)).toBe(day(100) + planConfigsMs);
  });

  it('follows from the changes that administrators make', async () => {
    const platform = await seedPerson({ isAdmin: true });
    const change = (body: object) =>
      expectStatus(api.patch(`/admin/orgs/${owner.organization.id}`, body, platform.session), 200);
    await change({ plan: 'enterprise' });
    await change({ plan: 'free', limitOverrides: { auditRetentionDays: 1000 } });
    const stored = await storedOrganization();
    const organization = { ...stored, createdAt: new Date(Date.now() - 500 * dayMs).toISOString() };
    // Only the first plan kept less.
    const changedAtMs = stored.retentions?.[0]?.untilMs ?? 0;
    expect(Math.abs(changedAtMs - Date.now())).toBeLessThan(600_000);
    const inAYear = Date.now() + 365 * dayMs;
    expect(Date.parse(await completeSince(organization, inAYear))).toBe(changedAtMs + planConfigsMs);
  });
});
