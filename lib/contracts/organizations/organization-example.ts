export const organizationExample = {
  id: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31',
  slug: 'difference-engines',
  name: 'Difference Engines',
  plan: 'free',
  limitOverrides: {},
  requireSecondFactor: false,
  createdAt: '2026-01-31T09:26:53.589Z',
} as const;
