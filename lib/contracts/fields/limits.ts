import * as z from 'zod';

export const planNames = ['free', 'pro', 'enterprise'] as const;
export const PlanName = z.enum(planNames).meta({ id: 'PlanName', description: 'A plan.', example: 'pro' });
export type PlanName = z.infer<typeof PlanName>;

export const unlimited = -1;

export const LimitValue = z.int().min(unlimited, { message: 'must be -1 (unlimited) or more' }).max(1_000_000_000);

const descriptions = {
  maxProjects: 'Projects in the organization.',
  maxEnvironmentsPerProject: 'Environments in each project.',
  maxSecretsPerEnvironment: 'Secrets in each environment.',
  maxMembers: 'Members, including pending invitations.',
  maxWebhooks: 'Webhooks in the organization.',
  auditRetentionDays: 'How many days audit entries are kept.',
  requestsPerMinute: 'Requests of the organization’s own callers per minute; expensive ones count as several.',
};
export type LimitName = keyof typeof descriptions;
export const limitNames = Object.keys(descriptions) as LimitName[];

/** One schema per limit, in the order of `limitNames`. */
export function perLimit<S extends z.ZodType>(schema: S) {
  const schemas = limitNames.map(name => [name, schema.describe(descriptions[name])]);
  return Object.fromEntries(schemas) as Record<LimitName, S>;
}

export const PlanLimits = z
  .object(perLimit(LimitValue))
  .meta({ id: 'PlanLimits', description: 'A value for every plan limit; -1 means unlimited.' });
export type PlanLimits = z.infer<typeof PlanLimits>;

export const LimitOverrides = z.object(perLimit(LimitValue.optional())).meta({
  id: 'LimitOverrides',
  description: 'Limits for this organization only. They take precedence over its plan.',
});
export type LimitOverrides = z.infer<typeof LimitOverrides>;

export const limitSources = ['default', 'plan', 'override'] as const;
export const LimitSource = z.enum(limitSources).meta({
  id: 'LimitSource',
  description: 'Where a limit comes from: the default, the plan’s configuration or the organization’s override.',
  example: 'default',
});
export type LimitSource = z.infer<typeof LimitSource>;

export const EffectiveLimits = z
  .object({
    effective: PlanLimits.describe('The limits in force.'),
    source: z.object(perLimit(LimitSource)).describe('Where each limit comes from.'),
  })
  .meta({
    id: 'EffectiveLimits',
    description: 'The limits in force: the override if there is one, else the plan’s limit, else the default.',
  });
export type EffectiveLimits = z.infer<typeof EffectiveLimits>;

export const Usage = z
  .object({
    projects: z.int().meta({ description: 'Projects.', example: 4 }),
    members: z.int().meta({ description: 'Members, excluding pending invitations.', example: 7 }),
    invitations: z.int().meta({ description: 'Pending invitations.', example: 1 }),
    webhooks: z.int().meta({ description: 'Webhooks.', example: 2 }),
    environments: z.int().meta({ description: 'Environments in all projects.', example: 13 }),
    secrets: z.int().meta({ description: 'Secrets in all environments, excluding deleted ones.', example: 412 }),
  })
  .meta({ id: 'Usage', description: 'The current usage of an organization.' });
export type Usage = z.infer<typeof Usage>;

/**
 * The limits that apply if neither an override nor the plan's configuration sets one. Requests per minute are then
 * limited by a setting of the installation, for every plan alike.
 */
export const defaultLimits: Readonly<Record<PlanName, Omit<PlanLimits, 'requestsPerMinute'>>> = {
  free: {
    maxProjects: 10,
    maxEnvironmentsPerProject: 10,
    maxSecretsPerEnvironment: 1000,
    maxMembers: 10,
    maxWebhooks: 10,
    auditRetentionDays: 30,
  },
  pro: {
    maxProjects: 100,
    maxEnvironmentsPerProject: 25,
    maxSecretsPerEnvironment: 2000,
    maxMembers: 100,
    maxWebhooks: 50,
    auditRetentionDays: 365,
  },
  enterprise: {
    maxProjects: unlimited,
    maxEnvironmentsPerProject: unlimited,
    maxSecretsPerEnvironment: unlimited,
    maxMembers: unlimited,
    maxWebhooks: unlimited,
    auditRetentionDays: unlimited,
  },
};

/** A plan's default limits in an installation that has not changed its setting, for examples. */
export const exampleLimits = (plan: PlanName): PlanLimits => ({ ...defaultLimits[plan], requestsPerMinute: 6000 });

export const Plan = z
  .object({
    name: PlanName,
    limits: PlanLimits.describe('The plan’s limits: the configured ones, or else the built-in defaults.'),
  })
  .meta({ id: 'Plan', description: 'A plan and its default limits.' });
export type Plan = z.infer<typeof Plan>;

export const boughtPlans = planNames.filter(name => name !== 'free');
export const BoughtPlan = z.enum(boughtPlans).meta({ description: 'The plan to buy.', example: 'pro' });
export type BoughtPlan = z.infer<typeof BoughtPlan>;

export const BillingStatus = z.enum(['none', 'active', 'past_due', 'canceled']).meta({
  id: 'BillingStatus',
  description: 'The subscription’s status at the payment provider; `none` = there never was one.',
  example: 'active',
});
export type BillingStatus = z.infer<typeof BillingStatus>;
