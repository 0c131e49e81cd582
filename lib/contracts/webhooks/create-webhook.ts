import * as z from 'zod';
import { contract, created } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { EnvironmentId, ProjectId } from '../fields/text.ts';
import { EventList, TargetUrl, Webhook, webhookExample } from './webhook.ts';

export const createWebhook = contract({
  operationId: 'create-webhook',
  route: 'POST /v1/webhooks/{orgId}',
  summary: 'Create a webhook',
  description:
    'Subscribes a public https URL to events of the organization, or of one project or environment. The signing ' +
    'secret, which receivers need to verify `X-Service-Signature`, is returned only once. Owners and admins ' +
    'only.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization' },
  body: z.strictObject({
    url: TargetUrl.meta({
      description: 'The URL to send deliveries to.',
      example: 'https://hooks.example.com/holdfast',
    }),
    events: EventList.meta({
      description: 'The events to subscribe to.',
      example: ['secret.created', 'secret.updated'],
    }),
    projectId: ProjectId.optional().meta({ description: 'Limits the webhook to one project.' }),
    environmentId: EnvironmentId.optional().meta({ description: 'Limits the webhook to one environment.' }),
  }),
  bodyExample: {
    url: 'https://hooks.example.com/holdfast',
    events: ['secret.created', 'secret.updated'],
    projectId: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
  },
  responses: created({
    description: 'The webhook and its signing secret. The secret is shown only once.',
    body: z.object({
      webhook: Webhook,
      signingSecret: z.string().meta({
        description: 'The key for the HMAC-SHA256 signature of every delivery.',
        example: 'whsec_EXAMPLEnotARealSecret',
      }),
    }),
    example: { webhook: webhookExample },
  }),
  errors: ['project_not_found', 'environment_not_found', 'plan_limit_exceeded'],
  uses: {
    table: ['GetItem', 'Query', 'ConditionCheckItem'],
    reads: ['PLANS'],
    writes: ['ORG', 'AUDIT'],
    key: { webhook: ['Encrypt'] },
  },
});
