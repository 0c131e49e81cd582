import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { listedRoutes } from '#infra/build/write-routes.ts';
import { exampleOf } from '#infra/openapi/example.ts';
import type { Contract } from '#lib/contracts/contract.ts';
import { errorsOf } from '#lib/contracts/contract-errors.ts';
import { errorStatuses } from '#lib/contracts/error-codes.ts';
import { parameterNames, pathParameters } from '#lib/contracts/path-parameters.ts';
import { routes } from '#lib/contracts/routes.ts';
import { words } from '#test/support/words.ts';

// Copied from the specification, not derived: its `:name` is `{name}` here.
const specified = `
  POST /auth/register, POST /auth/login, POST /auth/logout, GET /auth/me, POST /auth/token, POST /auth/cli-auth,
  GET /auth/tokens, DELETE /auth/tokens/:tokenId, POST /auth/change-password, POST /auth/send-verification,
  POST /auth/verify-email, POST /auth/forgot-password, POST /auth/reset-password,
  GET /projects/:orgId, POST /projects/:orgId, GET /projects/:orgId/:slug, DELETE /projects/:orgId/:slug,
  POST /projects/:orgId/:slug/environments, POST /projects/:orgId/:slug/rotate-key,
  GET /secrets/:orgSlug/:project/:env, GET /secrets/:orgSlug/:project/:env/keys, PUT /secrets/:orgSlug/:project/:env,
  POST /secrets/:orgSlug/:project/:env/bulk, GET /secrets/:orgSlug/:project/:env/versions/:key,
  POST /secrets/:orgSlug/:project/promote, POST /secrets/:orgSlug/:project/:env/bulk-delete,
  DELETE /secrets/:orgSlug/:project/:env/:key,
  POST /orgs, DELETE /orgs/:orgId,
  GET /templates/:orgSlug/:project, POST /templates/:orgSlug/:project, DELETE /templates/:orgSlug/:project/:key,
  GET /templates/:orgSlug/:project/validate/:env,
  GET /webhooks/:orgId, POST /webhooks/:orgId, GET /webhooks/:orgId/:webhookId, PATCH /webhooks/:orgId/:webhookId,
  DELETE /webhooks/:orgId/:webhookId, POST /webhooks/:orgId/:webhookId/test,
  GET /members/:orgId, POST /members/:orgId/invite, POST /members/invite/:token/accept, PATCH /members/:orgId/:id,
  DELETE /members/:orgId/:id,
  GET /audit/:orgId,
  GET /billing/:orgId, POST /billing/:orgId/checkout, POST /billing/:orgId/portal, POST /billing/webhook,
  GET /admin/stats, GET /admin/orgs, GET /admin/orgs/:orgId, PATCH /admin/orgs/:orgId, GET /admin/plans,
  PUT /admin/plans/:planName, GET /admin/metrics/summary`
  .trim()
  .split(/,\s+/);

const byOperation = new Map(routes.map(route => [route.operationId, route]));

function route(operationId: string): Contract {
  const found = byOperation.get(operationId);
  if (found === undefined) throw new Error(`There is no route ${operationId}.`);
  return found;
}

const problemsOf = (schema: z.ZodType | undefined, value: unknown): string[] => [
  ...new Set((schema?.safeParse(value).error?.issues ?? []).map(issue => issue.path.join('.'))),
];

describe('the route table', () => {
  test('has the 56 endpoints of the specification, in its order', () => {
    const paths = routes.map(
      ({ method, path }) => `${method} ${path.replace(/^\/v1/, '').replace(/\{(\w+)\}/g, ':$1')}`,
    );
    expect(specified).toHaveLength(56);
    expect(paths.filter(path => specified.includes(path))).toEqual(specified);
  });

  test('has every contract; `npm run generate -- routes` lists a new one', () => {
    const file = new URL('../../../lib/contracts/routes.ts', import.meta.url);
    expect(listedRoutes()).toBe(readFileSync(file, 'utf8'));
  });

  test('gives every operation a unique name in kebab case', () => {
    expect(byOperation.size).toBe(routes.length);
    for (const { operationId } of routes) expect(operationId).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });

  test('has no two routes that match the same request unless one is more literal', () => {
    const shapes = routes.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);
    expect(new Set(shapes).size).toBe(shapes.length);
  });
});

describe.each(routes.map(contract => [contract.operationId, contract] as const))('%s', (_, contract) => {
  test('has only known path parameters', () => {
    for (const name of parameterNames(contract.path)) expect(pathParameters).toHaveProperty(name);
  });

  test('has examples that its own schemas accept', () => {
    if (contract.body) expect(problemsOf(contract.body, contract.bodyExample)).toEqual([]);
    for (const response of Object.values(contract.responses)) {
      if (response.body) expect(problemsOf(response.body, exampleOf(response.body, response.example))).toEqual([]);
      else expect(response.example).toBeUndefined();
    }
  });

  test('shows every member in its examples', () => {
    for (const { body, example } of Object.values(contract.responses)) {
      if (body) expect(body.parse(exampleOf(body, example))).toEqual(exampleOf(body, example));
    }
  });

  test('rejects unknown fields in its body', () => {
    if (!contract.body) return;
    const body = { ...(contract.bodyExample as object), zzUnknown: 1 };
    expect(contract.body.safeParse(body).error?.issues).toContainEqual(
      expect.objectContaining({ code: 'unrecognized_keys', keys: ['zzUnknown'] }),
    );
  });

  test('rejects a body that is not an object', () => {
    if (!contract.body) return;
    for (const body of [undefined, null, [], 'text', 1, true])
      expect(contract.body.safeParse(body).success).toBe(false);
  });

  test('rejects unknown query parameters, unless another service composes the query', () => {
    if (!contract.query) return;
    if (contract.foreignQuery) {
      expect(problemsOf(contract.query, { zzUnknown: '1' })).toEqual([]);
      return;
    }
    expect(contract.query.safeParse({ zzUnknown: '1' }).error?.issues).toContainEqual(
      expect.objectContaining({ code: 'unrecognized_keys', keys: ['zzUnknown'] }),
    );
  });

  test('ignores unknown headers', () => {
    if (contract.headers) expect(problemsOf(contract.headers, { 'x-unknown': '1' })).toEqual([]);
  });

  test('rejects an empty value for every query parameter', () => {
    if (contract.foreignQuery) return;
    for (const name of Object.keys(contract.query?.shape ?? {})) {
      const missing = problemsOf(contract.query, {}).filter(other => other !== name);
      expect(problemsOf(contract.query, { [name]: '' }).filter(path => !missing.includes(path))).toEqual([name]);
    }
  });

  test('describes every member of its bodies and responses', () => {
    const input = [contract.rawBody ? undefined : contract.body, contract.query, contract.headers];
    const output = Object.values(contract.responses).map(({ body }) => body);
    const missingIn = (schemas: (z.ZodType | null | undefined)[], io: 'input' | 'output') =>
      schemas.flatMap(schema => (schema ? undescribed(z.toJSONSchema(schema, { io, unrepresentable: 'any' })) : []));
    expect([...missingIn(input, 'input'), ...missingIn(output, 'output')]).toEqual([]);
  });

  test('has a summary and a list of errors without duplicates', () => {
    const { errors = [] } = contract;
    expect(contract.summary).toMatch(/^[A-Z].*[^.]$/);
    expect(contract.description).toMatch(/\.$/);
    expect(new Set(errors).size).toBe(errors.length);
  });
});

/** The paths of properties without a description; a reference to a described component counts as described. */
function undescribed(schema: object): string[] {
  const missing: string[] = [];
  const definitions = (schema as { $defs?: Record<string, { description?: string }> }).$defs ?? {};
  const walk = (node: unknown, path: string) => {
    if (typeof node !== 'object' || node === null) return;
    const { properties, ...others } = node as { properties?: Record<string, { description?: string; $ref?: string }> };
    for (const [name, property] of Object.entries(properties ?? {})) {
      const referred = definitions[property.$ref?.split('/').at(-1) ?? ''];
      if (!property.description && !referred?.description) missing.push(`${path}/${name}`);
      walk(property, `${path}/${name}`);
    }
    for (const [name, value] of Object.entries(others)) if (name !== 'examples') walk(value, `${path}/${name}`);
  };
  walk(schema, '');
  return missing;
}

describe('errors of an operation', () => {
  test('follow from its access, path, body and headers, in the order of their statuses', () => {
    const ofSetSecret = `invalid_request unauthenticated second_factor_required plan_limit_exceeded forbidden insufficient_scope
      csrf_header_required step_up_required provider_required network_not_allowed organization_not_found project_not_found
      environment_not_found key_referenced approval_required revision_mismatch version_mismatch payload_too_large
      unsupported_media_type reference_not_found reference_cycle reference_too_deep rate_limited internal_error
      temporarily_unavailable`;
    expect(errorsOf(route('set-secret'))).toEqual(words(ofSetSecret));
    const ofCurrentUser = ['invalid_request', 'unauthenticated', 'internal_error', 'temporarily_unavailable'];
    expect(errorsOf(route('get-current-user'))).toEqual(ofCurrentUser);
    expect(errorsOf(route('get-statistics'))).toContain('admin_required');
  });

  test('of a public route require no signed-in user', () => {
    for (const contract of routes.filter(({ access }) => access.kind === 'public')) {
      const codes = errorsOf(contract);
      for (const code of ['unauthenticated', 'forbidden', 'insufficient_scope', 'csrf_header_required']) {
        expect(codes).not.toContain(code);
      }
    }
  });

  test('name missing resources as the route does', () => {
    expect(errorsOf(route('remove-template-key'))).toContain('template_key_not_found');
    expect(errorsOf(route('remove-template-key'))).not.toContain('secret_not_found');
    expect(errorsOf(route('accept-invitation'))).toContain('invalid_token');
  });

  test('are from the closed set, without duplicates', () => {
    for (const contract of routes) {
      const codes = errorsOf(contract);
      expect(new Set(codes).size).toBe(codes.length);
      for (const code of codes) expect(errorStatuses).toHaveProperty(code);
    }
  });
});

describe('access', () => {
  test('is public for exactly the routes that are called before signing in', () => {
    const listed = `register log-in start-passkey-login complete-login find-sign-in-methods
      continue-provider-sign-in undo-factor verify-email request-password-reset reset-password
      confirm-email-change undo-email-change stop-mailed-recovery exchange-assertion receive-provider-event`;
    const open = routes.filter(({ access }) => access.kind === 'public');
    expect(open.map(({ operationId }) => operationId)).toEqual(words(listed));
  });

  test('requires an administrator for exactly the routes under /v1/admin', () => {
    for (const { access, path } of routes) expect(access.kind === 'admin').toBe(path.startsWith('/v1/admin/'));
  });

  test('takes a query composed by another service only from the sign-in provider', () => {
    const foreign = routes.filter(({ foreignQuery }) => foreignQuery).map(({ operationId }) => operationId);
    expect(foreign).toEqual(['complete-provider-sign-in']);
  });

  test('is for members if the path names an organization, except on admin routes, to sign in there, and to restore it', () => {
    const others = ['start-provider-sign-in', 'complete-provider-sign-in', 'restore-organization'];
    for (const { access, path } of routes.filter(({ operationId }) => !others.includes(operationId))) {
      if (/\{org(Id|Slug)\}/.test(path)) expect(['member', 'admin']).toContain(access.kind);
      else expect(access.kind).not.toBe('member');
    }
  });

  test('never lets a read token change anything except revoke itself', () => {
    for (const { access, method } of routes.filter(({ operationId }) => operationId !== 'revoke-current-token')) {
      if ((access.kind === 'account' || access.kind === 'member') && method !== 'GET') {
        expect(access.tokens).not.toBe('read');
      }
    }
  });

  test('keeps passwords and tokens out of reach of every token', () => {
    const operations = 'create-token list-tokens revoke-token change-password send-verification log-out';
    for (const operationId of words(operations)) {
      expect(route(operationId).access).toMatchObject({ tokens: 'session' });
    }
  });

  test.each([
    [['owner'], 'delete-project delete-organization restore-deleted erase-deleted change-role'],
    [
      ['owner', 'admin'],
      `create-project rotate-key bulk-delete-secrets add-template-key invite-member remove-member
       list-audit-entries get-exposure feed-audit-entries list-webhooks`,
    ],
    [['owner', 'admin', 'developer'], 'set-secret promote-secrets apply-changes'],
    [['owner', 'admin', 'developer', 'viewer'], 'create-environment list-members pull-secrets'],
  ])('is for %j: %s', (expected, operations) => {
    for (const operationId of words(operations)) {
      expect(route(operationId).access, operationId).toMatchObject({ roles: expected });
    }
  });
});

describe('bodies', () => {
  const keysFrom = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => prefix + index);
  test.each([
    ['register', { email: 'x', password: 'short', name: '' }, ['email', 'password', 'name']],
    ['register', { email: 'ada@example.com', password: 'x'.repeat(257) }, ['password']],
    ['create-token', { name: 'x', environmentId: randomUUID() }, ['organizationId', 'projectId']],
    ['create-token', { access: 'all', projectId: 1 }, ['name', 'access', 'projectId', 'organizationId']],
    ['hand-off-token', { code: 'x', codeVerifier: '' }, ['codeVerifier']],
    ['hand-off-token', { name: 'x' }, ['codeChallenge']],
    ['set-secret', { key: '1', value: 'x'.repeat(65_537), expectedVersion: -1 }, ['key', 'value', 'expectedVersion']],
    ['set-secret', { key: 'A', value: '\udc00' }, ['value']],
    ['promote-secrets', { from: 'dev', to: 'dev' }, ['to']],
    ['promote-secrets', { from: 'dev', to: 'staging', keys: [] }, ['keys']],
    ['bulk-delete-secrets', { keys: ['A', 'B', 'A'] }, ['keys.2']],
    ['bulk-delete-secrets', { keys: Array.from({ length: 1001 }, (_, index) => index) }, ['keys']],
    ['apply-changes', {}, ['']],
    ['apply-changes', { set: [], delete: [] }, ['']],
    ['apply-changes', { set: [{ key: 'A', value: '' }], delete: ['B', 'A', 'B'] }, ['delete.1', 'delete.2']],
    ['apply-changes', { set: [{ key: 'A', value: '', dryRun: true }] }, ['set.0']],
    ['apply-changes', { delete: Array.from({ length: 1001 }, (_, index) => index) }, ['delete']],
    ['apply-changes', { delete: ['A'], message: 'two\nlines' }, ['message']],
    ['apply-changes', { set: keysFrom(600, 'A').map(key => ({ key, value: '' })), delete: keysFrom(401, 'B') }, ['']],
    ['import-secrets', { secrets: { A: '' }, message: 'x'.repeat(201) }, ['message']],
    ['create-webhook', { url: 'ftp://example.com', events: ['webhook.ping'] }, ['url', 'events.0']],
    ['create-webhook', { url: 'https://a:b@example.com', events: [] }, ['url', 'events']],
    ['update-webhook', {}, ['']],
    ['update-project', {}, ['']],
    ['update-environment', {}, ['']],
    ['update-environment', { name: null, type: 'test' }, ['name', 'type']],
    ['update-template-key', {}, ['']],
    ['update-template-key', { required: null, pattern: '' }, ['required', 'pattern']],
    ['rename-organization', {}, ['']],
    ['rename-organization', { name: '', requireSecondFactor: null }, ['name', 'requireSecondFactor']],
    ['complete-login', { challenge: 'x' }, ['']],
    ['complete-login', { challenge: 'x', totp: '123456', recoveryCode: 'x' }, ['']],
    ['complete-login', { challenge: 'x', totp: ' 123456' }, ['totp']],
    ['complete-login', { challenge: 'x', totp: '١٢٣٤٥٦' }, ['totp']],
    ['step-up', { password: 'x', passkey: {} }, ['passkey.id', 'passkey.rawId', 'passkey.type', 'passkey.response']],
    ['update-organization', {}, ['']],
    [
      'update-organization',
      { plan: 'gold', limitOverrides: { maxProjects: -2 } },
      ['plan', 'limitOverrides.maxProjects'],
    ],
    ['update-plan', { limits: {} }, ['limits']],
    ['update-plan', { limits: { maxProjects: null, maxMembers: 1.5 } }, ['limits.maxProjects', 'limits.maxMembers']],
    ['start-checkout', { plan: 'free' }, ['plan']],
  ])('of %s: %j has problems at %j', (operationId, body, paths) => {
    expect(problemsOf(route(operationId).body, body)).toEqual(paths);
  });

  test('include each of a webhook’s events once, even if it is given twice', () => {
    expect(
      route('update-webhook').body?.parse({ events: ['secret.deleted', 'secret.created', 'secret.deleted'] }),
    ).toEqual({ events: ['secret.created', 'secret.deleted'] });
  });

  test('let null widen a webhook or remove an override', () => {
    expect(route('update-webhook').body?.parse({ projectId: null })).toEqual({ projectId: null });
    expect(route('update-organization').body?.parse({ limitOverrides: { maxMembers: null } })).toEqual({
      limitOverrides: { maxMembers: null },
    });
  });
});

describe('query parameters', () => {
  test.each(['0', '501', '-1', '1.5', ' 1', '1 ', '0x1', '1e2', '+1', 'ten', '1,2', '0000000001'])(
    'limit=%s is rejected',
    limit => {
      expect(problemsOf(route('pull-secrets').query, { limit })).toEqual(['limit']);
    },
  );

  test('are parsed as numbers and booleans, with their defaults', () => {
    expect(route('list-keys').query?.parse({})).toEqual({ offset: 0 });
    expect(route('pull-secrets').query?.parse({ limit: '500', offset: '7' })).toEqual({ limit: 500, offset: 7 });
    expect(route('list-audit-entries').query?.parse({})).toEqual({ limit: 50, offset: 0 });
    expect(route('list-versions').query?.parse({ values: 'true' })).toEqual({ values: true, offset: 0 });
    expect(route('list-versions').query?.parse({})).toEqual({ values: false, offset: 0 });
    expect(route('summarize-metrics').query?.parse({})).toEqual({ hours: 24 });
    expect(route('summarize-metrics').query?.parse({ hours: '168' })).toEqual({ hours: 168 });
  });

  test.each(['TRUE', '1', 'yes', ' true'])('values=%s is rejected', values => {
    expect(problemsOf(route('list-versions').query, { values })).toEqual(['values']);
  });

  test('enforce the limits of the metrics window and the audit actions', () => {
    expect(problemsOf(route('summarize-metrics').query, { hours: '169' })).toEqual(['hours']);
    expect(problemsOf(route('summarize-metrics').query, { hours: '0' })).toEqual(['hours']);
    expect(problemsOf(route('list-audit-entries').query, { action: 'secret.stolen' })).toEqual(['action']);
  });
});
