export const limitsExample = {
  maxProjects: 100,
  maxEnvironmentsPerProject: 25,
  maxSecretsPerEnvironment: 2000,
  maxMembers: 150,
  maxWebhooks: 50,
  auditRetentionDays: 365,
};

export const effectiveExample = {
  effective: limitsExample,
  source: {
    maxProjects: 'plan',
    maxEnvironmentsPerProject: 'default',
    maxSecretsPerEnvironment: 'default',
    maxMembers: 'override',
    maxWebhooks: 'default',
    auditRetentionDays: 'default',
  },
} as const;
