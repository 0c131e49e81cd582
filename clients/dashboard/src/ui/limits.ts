import type { LimitName } from '@holdfast/contracts/fields/limits.ts';

export const limitNamesInWords: Readonly<Record<LimitName, string>> = {
  maxProjects: 'Projects',
  maxEnvironmentsPerProject: 'Environments in a project',
  maxSecretsPerEnvironment: 'Secrets in an environment',
  maxMembers: 'Members',
  maxWebhooks: 'Webhooks',
  auditRetentionDays: 'Days in the audit log',
  requestsPerMinute: 'Requests per minute',
};

export const limitInWords = (limit: number) => (limit === -1 ? 'unlimited' : limit.toLocaleString('en'));
