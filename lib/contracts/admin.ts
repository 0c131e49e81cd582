import * as z from 'zod';
import { contract } from './contract.ts';
import { EffectiveLimits, LimitValue, PlanLimits, PlanName, perLimit, Usage } from './fields/limits.ts';
import { Organization } from './fields/organization.ts';
import { optionalPage, Pagination } from './fields/pagination.ts';
import { integerQuery, prefixQuery } from './fields/query.ts';
import { Timestamp } from './fields/text.ts';

const area = 'admin';

export const OrganizationWithUsage = z
  .object({ ...Organization.shape, usage: Usage })
  .meta({ id: 'OrganizationWithUsage', description: 'An organization and its usage.' });
export type OrganizationWithUsage = z.infer<typeof OrganizationWithUsage>;

export const Plan = z
  .object({
    name: PlanName,
    limits: PlanLimits.meta({ description: 'The plan’s limits: those configured, or else the built-in defaults.' }),
  })
  .meta({ id: 'Plan', description: 'A plan and its default limits.' });
export type Plan = z.infer<typeof Plan>;

/** Percentiles from a histogram: each is the upper bound of the bucket that the percentile falls into. */
export const Latency = z
  .object({
    p50: z
      .number()
      .nullable()
      .meta({ description: 'Median in milliseconds; null if there were no requests.', example: 14 }),
    p95: z
      .number()
      .nullable()
      .meta({ description: '95th percentile in milliseconds; null if there were no requests.', example: 48 }),
    p99: z
      .number()
      .nullable()
      .meta({ description: '99th percentile in milliseconds; null if there were no requests.', example: 120 }),
  })
  .meta({ id: 'Latency', description: 'How long requests took.' });
export type Latency = z.infer<typeof Latency>;

export const RequestErrors = z
  .object({
    client: z.int().meta({ description: 'Responses with a status from 400 to 499.', example: 31 }),
    server: z.int().meta({ description: 'Responses with a status from 500 to 599.', example: 0 }),
  })
  .meta({ id: 'RequestErrors', description: 'The number of requests that failed.' });
export type RequestErrors = z.infer<typeof RequestErrors>;

const limitsExample = {
  maxProjects: 100,
  maxEnvironmentsPerProject: 25,
  maxSecretsPerEnvironment: 2000,
  maxMembers: 150,
  maxWebhooks: 50,
  auditRetentionDays: 365,
};
const effectiveExample = {
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
const organizationExample = {
  id: '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31',
  slug: 'analytical-engines',
  name: 'Analytical Engines',
  plan: 'pro',
  limitOverrides: { maxMembers: 150 },
  requireSecondFactor: false,
  createdAt: '2026-01-31T09:26:53.589Z',
} as const;
const usageExample = { projects: 4, members: 7, invitations: 1, webhooks: 2, environments: 13, secrets: 412 };

export const getStatistics = /* @__PURE__ */ contract({
  operationId: 'get-statistics',
  area,
  method: 'GET',
  path: '/v1/admin/stats',
  summary: 'Platform statistics',
  description: 'Returns the number of users, organizations and projects on the platform.',
  access: { kind: 'admin' },
  responses: {
    200: {
      description: 'The counts.',
      body: z.object({
        users: z.int().meta({ description: 'Users.', example: 1204 }),
        organizations: z.int().meta({ description: 'Organizations.', example: 1310 }),
        projects: z.int().meta({ description: 'Projects.', example: 2877 }),
      }),
      example: { users: 1204, organizations: 1310, projects: 2877 },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'Query', 'UpdateItem'], reads: ['PLATFORM'] },
});

export const listOrganizations = /* @__PURE__ */ contract({
  operationId: 'list-organizations',
  area,
  method: 'GET',
  path: '/v1/admin/orgs',
  summary: 'All organizations with usage counts',
  description:
    'Lists the organizations of the platform, ordered by slug. Without `limit` it lists all of them, as far as an answer ' +
    'holds them.',
  access: { kind: 'admin' },
  query: z.strictObject({
    ...optionalPage,
    search: prefixQuery('Only organizations whose slug or name starts with this, in any case.')
      .optional()
      .meta({ example: 'analytical' }),
  }),
  responses: {
    200: {
      description: 'A page of organizations.',
      body: z.object({
        organizations: z.array(OrganizationWithUsage).meta({ description: 'The organizations, by slug.' }),
        pagination: Pagination.optional(),
      }),
      example: {
        organizations: [{ ...organizationExample, usage: usageExample }],
        pagination: { limit: 50, offset: 0, total: 1 },
      },
    },
  },
  errors: ['payload_too_large'],
  uses: { table: ['BatchGetItem', 'Query', 'UpdateItem'], reads: ['ORG', 'ORGS', 'ENV'] },
});

export const inspectOrganization = /* @__PURE__ */ contract({
  operationId: 'inspect-organization',
  area,
  method: 'GET',
  path: '/v1/admin/orgs/{orgId}',
  summary: 'Organization detail and effective limits',
  description: 'Returns an organization with its usage, the limits in force, and where each limit comes from.',
  access: { kind: 'admin' },
  responses: {
    200: {
      description: 'The organization.',
      body: z.object({ organization: Organization, usage: Usage, limits: EffectiveLimits }),
      example: { organization: organizationExample, usage: usageExample, limits: effectiveExample },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'GetItem', 'Query', 'UpdateItem'], reads: ['ORG', 'ORGID', 'ENV', 'PLANS'] },
});

const OverrideValue = LimitValue.nullable().optional();

export const updateOrganization = /* @__PURE__ */ contract({
  operationId: 'update-organization',
  area,
  method: 'PATCH',
  path: '/v1/admin/orgs/{orgId}',
  summary: 'Update an organization’s plan and limit overrides',
  description:
    'Changes the plan, the overrides or both. An override that is not named stays, and null removes one. A downgrade ' +
    'deletes nothing; it only refuses further growth.',
  access: { kind: 'admin' },
  body: z
    .strictObject({
      plan: PlanName.optional().meta({ description: 'The new plan.' }),
      limitOverrides: z
        .strictObject(perLimit(OverrideValue))
        .optional()
        .meta({ description: 'Limits for this organization alone; -1 = unlimited, null removes the override.' }),
    })
    .refine(body => Object.keys(body).length > 0, { message: 'must have plan, limitOverrides or both' })
    .meta({ minProperties: 1 }),
  bodyExample: { plan: 'pro', limitOverrides: { maxMembers: 150, maxProjects: null } },
  responses: {
    200: {
      description: 'The organization and its current limits.',
      body: z.object({ organization: Organization, limits: EffectiveLimits }),
      example: { organization: organizationExample, limits: effectiveExample },
    },
  },
  errors: [],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'],
    reads: ['ORG', 'ORGID', 'PLANS'],
    writes: ['ORG', 'AUDIT'],
  },
});

export const listPlans = /* @__PURE__ */ contract({
  operationId: 'list-plans',
  area,
  method: 'GET',
  path: '/v1/admin/plans',
  summary: 'All plan configurations',
  description: 'Lists every plan with its current default limits.',
  access: { kind: 'admin' },
  responses: {
    200: {
      description: 'The plans.',
      body: z.object({ plans: z.array(Plan).meta({ description: 'The plans, smallest first.' }) }),
      example: { plans: [{ name: 'pro', limits: limitsExample }] },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'GetItem', 'UpdateItem'], reads: ['PLANS'] },
});

export const updatePlan = /* @__PURE__ */ contract({
  operationId: 'update-plan',
  area,
  method: 'PUT',
  path: '/v1/admin/plans/{planName}',
  summary: 'Update a plan’s default limits',
  description:
    'Sets some or all of a plan’s limits. They apply to every organization on the plan that has no override; limits that ' +
    'are not named stay as they are.',
  access: { kind: 'admin' },
  body: z.strictObject({
    limits: z
      .strictObject(perLimit(LimitValue.optional()))
      .refine(limits => Object.keys(limits).length > 0, { message: 'must name at least one limit' })
      .meta({ description: 'The limits to set; -1 = unlimited.', minProperties: 1 }),
  }),
  bodyExample: { limits: { maxMembers: 150 } },
  responses: {
    200: {
      description: 'The plan after the change.',
      body: z.object({ plan: Plan }),
      example: { plan: { name: 'pro', limits: limitsExample } },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'], reads: ['PLANS'], writes: ['PLANS'] },
});

export const summarizeMetrics = /* @__PURE__ */ contract({
  operationId: 'summarize-metrics',
  area,
  method: 'GET',
  path: '/v1/admin/metrics/summary',
  summary: 'Request metrics',
  description:
    'Returns requests, errors and latencies of the last hours, by route and by hour. A request is counted within seconds.',
  access: { kind: 'admin' },
  query: z.strictObject({ hours: integerQuery(1, 168, 'How many hours to look back.').default(24) }),
  responses: {
    200: {
      description: 'The summary.',
      body: z.object({
        hours: z.int().meta({ description: 'The number of hours covered.', example: 24 }),
        requests: z.int().meta({ description: 'The total number of requests.', example: 5210 }),
        errors: RequestErrors,
        latencyMs: Latency,
        routes: z
          .array(
            z.object({
              route: z
                .string()
                .meta({ description: 'Method and path template.', example: 'GET /v1/secrets/:orgSlug/:project/:env' }),
              requests: z.int().meta({ description: 'Requests.', example: 4100 }),
              errors: RequestErrors,
              latencyMs: Latency,
            }),
          )
          .meta({ description: 'Routes with requests, busiest first.' }),
        series: z
          .array(
            z.object({
              hour: Timestamp.meta({ description: 'The start of the hour.', example: '2026-01-31T09:00:00.000Z' }),
              requests: z.int().meta({ description: 'Requests.', example: 217 }),
              errors: RequestErrors,
            }),
          )
          .meta({ description: 'One entry per hour, oldest first, including hours without requests.' }),
      }),
      example: {
        hours: 24,
        requests: 5210,
        errors: { client: 31, server: 0 },
        latencyMs: { p50: 14, p95: 48, p99: 120 },
        routes: [
          {
            route: 'GET /v1/secrets/:orgSlug/:project/:env',
            requests: 4100,
            errors: { client: 12, server: 0 },
            latencyMs: { p50: 13, p95: 41, p99: 96 },
          },
        ],
        series: [{ hour: '2026-01-31T09:00:00.000Z', requests: 217, errors: { client: 2, server: 0 } }],
      },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'Query', 'UpdateItem'], reads: ['METRICS'] },
});
