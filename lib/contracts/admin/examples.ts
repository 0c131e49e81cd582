import { defaultLimits, limitNames } from '../fields/limits.ts';

export const organizationExample = { plan: 'pro', limitOverrides: { maxMembers: 150 } } as const;

export const limitsExample = { ...defaultLimits.pro, maxMembers: 150 };

const defaults = Object.fromEntries(limitNames.map(name => [name, 'default']));

export const effectiveExample = {
  effective: limitsExample,
  source: { ...defaults, maxProjects: 'plan', maxMembers: 'override' },
};
