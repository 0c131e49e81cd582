export const organizationExample = { plan: 'pro', limitOverrides: { maxMembers: 150 } } as const;
