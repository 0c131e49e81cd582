import { describe, expect, it } from 'vitest';
import { mergeOverrides } from '#lib/admin/organizations.ts';
import { defaultLimits, limitNames, type PlanName } from '#lib/contracts/fields/limits.ts';
import { settings } from '#lib/core/settings.ts';
import { effectiveLimits } from '#lib/plans/effective-limits.ts';

describe('effectiveLimits', () => {
  it('is the built-in constant by default', () => {
    const { effective, source } = effectiveLimits({ plan: 'pro', limitOverrides: {} }, {});

    expect(effective).toEqual({ ...defaultLimits.pro, requestsPerMinute: settings().REQUESTS_PER_MINUTE });
    for (const name of limitNames) expect(source[name]).toBe('default');
  });

  it('prefers the plan config to the constant, for this plan only', () => {
    const maximumOf = (plan: PlanName) =>
      effectiveLimits({ plan, limitOverrides: {} }, { free: { maxProjects: 3 } }).effective.maxProjects;

    expect([maximumOf('free'), maximumOf('pro')]).toEqual([3, 100]);
  });

  it('prefers the override to both, even if it is 0 or unlimited', () => {
    const limitOverrides = { maxProjects: 0, maxWebhooks: -1 };
    const limits = effectiveLimits({ plan: 'free', limitOverrides }, { free: { maxProjects: 3, maxWebhooks: 4 } });

    expect(limits.effective).toMatchObject({ maxProjects: 0, maxWebhooks: -1, maxMembers: 10 });
    expect(limits.source).toMatchObject({ maxProjects: 'override', maxWebhooks: 'override', maxMembers: 'default' });
  });
});

it('mergeOverrides sets the given limits, removes nulls and keeps the rest', () => {
  const merged = mergeOverrides({ maxProjects: 5, maxMembers: 6 }, { maxMembers: null, maxWebhooks: -1 });

  expect(merged).toEqual({ maxProjects: 5, maxWebhooks: -1 });
});
