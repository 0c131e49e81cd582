export const organizationExample = {
  id: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31',
  slug: 'analytical-engines',
  name: 'Analytical Engines',
  plan: 'pro',
  limitOverrides: { maxMembers: 150 },
  requireSecondFactor: false,
  createdAt: '2026-01-31T09:26:53.589Z',
} as const;

export const usageExample = { projects: 4, members: 7, invitations: 1, webhooks: 2, environments: 13, secrets: 412 };
