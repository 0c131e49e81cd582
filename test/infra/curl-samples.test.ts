import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { curlSampleOf } from '#infra/openapi/curl-samples.ts';
import type { Contract } from '#lib/contracts/contract.ts';
import { routes } from '#lib/contracts/routes.ts';
import { totpCode, totpStep } from '#lib/crypto/totp.ts';
import { eventually } from '#test/support/eventually.ts';
import { shared } from '#test/support/fixtures.ts';
import { providerEvent } from '../functions/billing/samples.ts';
import { sessionOf, startApi } from '../support/api.ts';
import { createAuthenticator } from '../support/authenticator.ts';
import { makeSigningKey, signToken } from '../support/issuer.ts';
import { mailedToken } from '../support/sample-requests.ts';
import { forgetUsedCodes, fromBase32 } from '../support/second-factors.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

// biome-ignore lint/suspicious/noExplicitAny: bodies of all operations
type Body = any;

interface Step {
  operationId: string;
  /** Needed only where the contract declares several successful ones. */
  status?: number;
  /** Sets variables that the reader would look up. */
  before?: () => Promise<unknown>;
  /** Keeps values that the reader would copy from the answer. */
  after?: (body: Body) => void | Promise<void>;
}

let directory: string;
let paying: string;
let userId: string;
let undoToken: string;
let totpSecret: Buffer;
let kept: string;
/** The shell variables that the reader has set. */
const variables: Record<string, string> = {};

/** Runs the command as pasted. curl's own settings file adds the status, on a line of its own. */
async function paste(command: string): Promise<{ status: number; body: Body }> {
  const { stdout } = await run('bash', ['--norc', '-eu', '-c', command], {
    cwd: directory,
    env: { PATH: process.env.PATH, CURL_HOME: directory, HOLDFAST_URL: new URL(api.url).origin, ...variables },
  });
  const end = stdout.lastIndexOf('\n');
  const body = stdout.slice(0, end);
  // A redirect has none.
  return { status: Number(stdout.slice(end + 1)), body: body === '' ? undefined : JSON.parse(body) };
}

const ada = { email: 'ada@example.com', password: 'an example of a pass phrase' };
const changedPassword = 'another example of a pass phrase';
const grace = { email: 'grace@example.com', password: 'a pass phrase of her own' };

async function tokenOf(account: { email: string; password: string }): Promise<string> {
  const session = sessionOf(await api.post('/auth/login', account));
  return (await api.post('/auth/token', { name: 'samples' }, session)).body.token;
}

/**
 * The life of an account and everything it owns, using only the samples, each operation once. Operations that depend on
 * no step, and that no step depends on, need not be listed: see `placeOf`.
 */
const story: readonly Step[] = [
  {
    operationId: 'register',
    after: ({ user, organization }) => {
      userId = user.id;
      variables.ORG_ID = organization.id;
    },
  },
  { operationId: 'log-in' },
  { operationId: 'send-verification' },
  {
    operationId: 'verify-email',
    before: async () => {
      variables.VERIFICATION_TOKEN = await mailedToken(api, ada.email, 'Verify');
      variables.HOLDFAST_TOKEN = await tokenOf(ada);
    },
  },
  {
    operationId: 'start-passkey',
    after: ({ challenge, publicKey }) => {
      const { id, response } = createAuthenticator().create(publicKey);
      variables.CHALLENGE = challenge;
      variables.CREDENTIAL_ID = id;
      variables.CLIENT_DATA = response.clientDataJSON;
      variables.ATTESTATION = response.attestationObject;
    },
  },
  {
    operationId: 'add-passkey',
    after: async () => {
      undoToken = await mailedToken(api, ada.email, 'Your log-in');
    },
  },
  {
    operationId: 'list-passkeys',
    after: ({ passkeys }) => {
      variables.PASSKEY_ID = passkeys[0].id;
    },
  },
  { operationId: 'start-passkey-login' },
  {
    operationId: 'start-totp',
    after: ({ secret }) => {
      totpSecret = fromBase32(secret);
    },
  },
  {
    operationId: 'confirm-totp',
    before: async () => {
      variables.TOTP_CODE = totpCode(totpSecret, totpStep(Date.now()));
    },
  },
  {
    operationId: 'complete-login',
    before: async () => {
      const asked = await api.post('/auth/login', ada);
      variables.CHALLENGE = asked.body.error.details.challenge;
      await forgetUsedCodes(userId);
      variables.TOTP_CODE = totpCode(totpSecret, totpStep(Date.now()));
    },
  },
  {
    operationId: 'step-up',
    before: async () => {
      await forgetUsedCodes(userId);
      variables.TOTP_CODE = totpCode(totpSecret, totpStep(Date.now()));
    },
  },
  { operationId: 'renew-recovery-codes' },
  { operationId: 'remove-totp' },
  { operationId: 'remove-passkey' },
  {
    operationId: 'create-project',
    after: ({ project }) => {
      variables.PROJECT_ID = project.id;
      variables.ENVIRONMENT_ID = project.environments[0].id;
    },
  },
  { operationId: 'update-project' },
  { operationId: 'create-environment' },
  { operationId: 'update-environment' },
  {
    operationId: 'create-token',
    after: ({ cliToken }) => {
      variables.TOKEN_ID = cliToken.id;
    },
  },
  { operationId: 'rename-user' },
  {
    operationId: 'revoke-current-token',
    before: async () => {
      kept = variables.HOLDFAST_TOKEN ?? '';
      variables.HOLDFAST_TOKEN = await tokenOf(ada);
    },
    after: () => {
      variables.HOLDFAST_TOKEN = kept;
    },
  },
  { operationId: 'revoke-token' },
  { operationId: 'hand-off-token' },
  { operationId: 'set-secret', status: 201 },
  { operationId: 'import-secrets' },
  { operationId: 'restore-secrets' },
  { operationId: 'promote-secrets' },
  { operationId: 'apply-changes' },
  { operationId: 'add-template-key' },
  { operationId: 'update-template-key' },
  { operationId: 'remove-template-key' },
  { operationId: 'delete-secret' },
  { operationId: 'bulk-delete-secrets' },
  { operationId: 'destroy-versions' },
  { operationId: 'rotate-key', status: 202 },
  {
    operationId: 'create-webhook',
    after: ({ webhook }) => {
      variables.WEBHOOK_ID = webhook.id;
    },
  },
  { operationId: 'update-webhook' },
  {
    operationId: 'test-webhook',
    after: async ({ deliveryId }) => {
      variables.DELIVERY_ID = deliveryId;
      const webhook = `/webhooks/${variables.ORG_ID}/${variables.WEBHOOK_ID}`;
      const isLogged = async () => {
        const { body } = await api.get(webhook, { token: variables.HOLDFAST_TOKEN ?? '' });
        expect(body.deliveries).toHaveLength(1);
      };
      await eventually(isLogged);
    },
  },
  { operationId: 'get-webhook' },
  { operationId: 'redeliver-webhook' },
  { operationId: 'get-exposure' },
  { operationId: 'feed-audit-entries' },
  { operationId: 'delete-webhook' },
  {
    operationId: 'create-identity',
    after: ({ identity }) => {
      variables.IDENTITY_ID = identity.id;
    },
  },
  {
    operationId: 'exchange-assertion',
    before: async () => {
      // The platform in the sample is unreachable from here, so local keys stand in for its keys.
      const key = await makeSigningKey();
      const identity = `/identities/${variables.ORG_ID}/${variables.IDENTITY_ID}`;
      const as = { token: variables.HOLDFAST_TOKEN ?? '' };
      const { body } = await api.patch(identity, { jwks: { keys: [key.publicJwk] } }, as);
      const { issuer: url, id, claims } = body.identity;
      variables.ID_TOKEN = await signToken({ url }, key, id, claims);
    },
  },
  { operationId: 'update-identity' },
  { operationId: 'get-identity' },
  { operationId: 'delete-identity' },
  {
    operationId: 'invite-member',
    after: ({ token }) => {
      variables.INVITATION_TOKEN = token;
    },
  },
  {
    operationId: 'accept-invitation',
    before: async () => {
      await api.post('/auth/register', grace);
      variables.HOLDFAST_TOKEN = await tokenOf(grace);
    },
    after: ({ member }) => {
      variables.MEMBER_ID = member.id;
    },
  },
  {
    operationId: 'change-role',
    before: async () => {
      variables.HOLDFAST_TOKEN = await tokenOf(ada);
    },
  },
  { operationId: 'remove-member' },
  {
    operationId: 'leave-organization',
    before: async () => {
      const invitation = { email: grace.email, role: 'viewer' };
      const headers = { authorization: `Bearer ${variables.HOLDFAST_TOKEN}` };
      const path = `/members/${variables.ORG_ID}/invite`;
      const { token } = (await api.call('POST', path, { body: invitation, headers })).body;
      // She was removed before, so she comes back only in a session.
      await api.post(`/members/invite/${token}/accept`, undefined, sessionOf(await api.post('/auth/login', grace)));
      variables.HOLDFAST_TOKEN = await tokenOf(grace);
    },
    after: async () => {
      variables.HOLDFAST_TOKEN = await tokenOf(ada);
    },
  },
  { operationId: 'rename-organization' },
  { operationId: 'find-sign-in-methods' },
  { operationId: 'set-sign-in' },
  { operationId: 'get-sign-in' },
  // The example's domain is nobody's to verify, and its provider does not answer.
  { operationId: 'verify-domain', status: 409 },
  { operationId: 'start-provider-sign-in', status: 302 },
  { operationId: 'complete-provider-sign-in', status: 302 },
  { operationId: 'continue-provider-sign-in', status: 400 },
  { operationId: 'delete-sign-in' },
  { operationId: 'start-checkout' },
  { operationId: 'open-portal' },
  {
    operationId: 'create-organization',
    after: ({ organization }) => {
      paying = organization.id;
    },
  },
  {
    operationId: 'receive-provider-event',
    before: async () => {
      const event = providerEvent(paying, 'pro', process.env.STRIPE_WEBHOOK_SECRET ?? '');
      variables.STRIPE_SIGNATURE = event.headers['stripe-signature'];
      writeFileSync(join(directory, 'event.json'), event.body);
    },
  },
  {
    operationId: 'get-statistics',
    before: () =>
      run('npm', ['run', '--silent', 'grant-admin', '--', ada.email], {
        cwd: root,
        env: { ...process.env, PORT: new URL(api.url).port },
      }),
  },
  { operationId: 'update-organization' },
  { operationId: 'update-plan' },
  { operationId: 'change-password' },
  {
    operationId: 'list-sessions',
    before: () => api.post('/auth/login', { ...ada, password: changedPassword }),
    after: ({ sessions }) => {
      variables.SESSION_ID = sessions[0].id;
    },
  },
  { operationId: 'end-session' },
  // Nobody has signed in with a provider.
  {
    operationId: 'end-provider-link',
    before: async () => {
      variables.LINK_ID = randomUUID();
    },
    // This account has none.
    status: 404,
  },
  { operationId: 'log-out' },
  { operationId: 'delete-environment' },
  { operationId: 'delete-project' },
  { operationId: 'delete-organization' },
  { operationId: 'request-password-reset' },
  {
    operationId: 'reset-password',
    before: async () => {
      variables.RESET_TOKEN = await mailedToken(api, ada.email, 'Reset');
    },
  },
  {
    operationId: 'undo-factor',
    before: async () => {
      variables.UNDO_TOKEN = undoToken;
    },
  },
];

const restOfAll = 'change-password';

/** Where an operation that the story doesn't list runs: before what its path names is deleted. */
function placeOf({ path }: Contract): number {
  const isDeletedIn = ({ operationId }: Step) => {
    const step = contractOf(operationId);
    return step.method === 'DELETE' && `${path}/`.startsWith(`${step.path}/`);
  };
  const deleted = story.findIndex(isDeletedIn);
  const rest = story.findIndex(({ operationId }) => operationId === restOfAll);
  return deleted === -1 ? rest : Math.min(deleted, rest);
}

/** All steps, including the operations that need nothing but the variables so far. */
function allSteps(): Step[] {
  const listed = new Set(story.map(({ operationId }) => operationId));
  const others = Map.groupBy(
    routes.filter(({ operationId }) => !listed.has(operationId)),
    placeOf,
  );
  return story.flatMap((step, index) => [
    ...(others.get(index) ?? []).map(({ operationId }) => ({ operationId })),
    step,
  ]);
}

function contractOf(operationId: string): Contract {
  const contract = routes.find(route => route.operationId === operationId);
  if (contract === undefined) throw new Error(`There is no operation ${operationId}.`);
  return contract;
}

/** The one successful status that the contract declares. */
function statusOf({ operationId, responses }: Contract): number {
  const statuses = Object.keys(responses)
    .map(Number)
    .filter(status => status < 300);
  const [only] = statuses;
  if (only === undefined || statuses.length > 1)
    throw new Error(`The step ${operationId} has to say which status it expects.`);
  return only;
}

const api = shared(startApi);
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-samples-'));
  writeFileSync(join(directory, '.curlrc'), 'write-out = "\\n%{http_code}"\n');
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

describe('the curl sample', () => {
  it.each(allSteps())('of $operationId works as pasted', async ({ operationId, status, before, after }) => {
    await before?.();
    const contract = contractOf(operationId);
    const answer = await paste(curlSampleOf(contract));
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: status ?? statusOf(contract) });
    await after?.(answer.body);
  });
});
