import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { curlSampleOf } from '../../infra/openapi/curl-samples.ts';
import { routes } from '../../lib/contracts/routes.ts';
import { totpCode, totpStep } from '../../lib/crypto/totp.ts';
import { type Api, sessionOf, startApi } from '../support/api.ts';
import { createAuthenticator } from '../support/authenticator.ts';
import { makeSigningKey, signToken } from '../support/issuer.ts';
import { mailedToken, providerEvent } from '../support/sample-requests.ts';
import { forgetUsedCodes, fromBase32 } from '../support/second-factors.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

// biome-ignore lint/suspicious/noExplicitAny: bodies of all operations
type Body = any;

interface Step {
  operationId: string;
  status: number;
  /** Sets what the sample needs and the reader would look up. */
  before?: () => Promise<unknown>;
  /** Keeps what the reader would take from the answer. */
  after?: (body: Body) => void;
}

let api: Api;
let directory: string;
let paying: string;
let userId: string;
let totpSecret: Buffer;
let kept: string;
/** The shell variables, as the reader of the page has set them. */
const variables: Record<string, string> = {};

/** Runs the command as pasted. curl's own settings file adds the status, on a line of its own. */
async function paste(command: string): Promise<{ status: number; body: Body }> {
  const { stdout } = await run('bash', ['--norc', '-eu', '-c', command], {
    cwd: directory,
    env: { PATH: process.env.PATH, CURL_HOME: directory, HOLDFAST_URL: new URL(api.url).origin, ...variables },
  });
  const end = stdout.lastIndexOf('\n');
  return { status: Number(stdout.slice(end + 1)), body: JSON.parse(stdout.slice(0, end)) };
}

const ada = { email: 'ada@example.com', password: 'an example of a pass phrase' };
const changedPassword = 'another example of a pass phrase';
const grace = { email: 'grace@example.com', password: 'a pass phrase of her own' };

async function tokenOf(account: { email: string; password: string }): Promise<string> {
  const session = sessionOf(await api.post('/auth/login', account));
  return (await api.post('/auth/token', { name: 'samples' }, session)).body.token;
}

/** One life of an account and all it owns, told by the samples alone: each operation once. */
const story: readonly Step[] = [
  {
    operationId: 'register',
    status: 201,
    after: ({ user, organization }) => {
      userId = user.id;
      variables.ORG_ID = organization.id;
    },
  },
  { operationId: 'log-in', status: 200 },
  { operationId: 'send-verification', status: 200 },
  {
    operationId: 'verify-email',
    status: 200,
    before: async () => {
      variables.VERIFICATION_TOKEN = await mailedToken(api, ada.email, 'Verify');
      variables.HOLDFAST_TOKEN = await tokenOf(ada);
    },
  },
  { operationId: 'get-current-user', status: 200 },
  {
    operationId: 'start-passkey',
    status: 200,
    after: ({ challenge, publicKey }) => {
      const { id, response } = createAuthenticator().create(publicKey);
      variables.CHALLENGE = challenge;
      variables.CREDENTIAL_ID = id;
      variables.CLIENT_DATA = response.clientDataJSON;
      variables.ATTESTATION = response.attestationObject;
    },
  },
  { operationId: 'add-passkey', status: 201 },
  {
    operationId: 'list-passkeys',
    status: 200,
    after: ({ passkeys }) => {
      variables.PASSKEY_ID = passkeys[0].id;
    },
  },
  { operationId: 'start-passkey-login', status: 200 },
  {
    operationId: 'start-totp',
    status: 200,
    after: ({ secret }) => {
      totpSecret = fromBase32(secret);
    },
  },
  {
    operationId: 'confirm-totp',
    status: 200,
    before: async () => {
      variables.TOTP_CODE = totpCode(totpSecret, totpStep(Date.now()));
    },
  },
  {
    operationId: 'complete-login',
    status: 200,
    before: async () => {
      const asked = await api.post('/auth/login', ada);
      variables.CHALLENGE = asked.body.error.details.challenge;
      await forgetUsedCodes(userId);
      variables.TOTP_CODE = totpCode(totpSecret, totpStep(Date.now()));
    },
  },
  {
    operationId: 'step-up',
    status: 200,
    before: async () => {
      await forgetUsedCodes(userId);
      variables.TOTP_CODE = totpCode(totpSecret, totpStep(Date.now()));
    },
  },
  { operationId: 'renew-recovery-codes', status: 200 },
  { operationId: 'remove-totp', status: 200 },
  { operationId: 'remove-passkey', status: 200 },
  {
    operationId: 'create-project',
    status: 201,
    after: ({ project }) => {
      variables.PROJECT_ID = project.id;
    },
  },
  { operationId: 'list-projects', status: 200 },
  { operationId: 'get-project', status: 200 },
  { operationId: 'update-project', status: 200 },
  { operationId: 'create-environment', status: 201 },
  { operationId: 'update-environment', status: 200 },
  {
    operationId: 'create-token',
    status: 201,
    after: ({ cliToken }) => {
      variables.TOKEN_ID = cliToken.id;
    },
  },
  { operationId: 'rename-user', status: 200 },
  {
    operationId: 'revoke-current-token',
    status: 200,
    before: async () => {
      kept = variables.HOLDFAST_TOKEN ?? '';
      variables.HOLDFAST_TOKEN = await tokenOf(ada);
    },
    after: () => {
      variables.HOLDFAST_TOKEN = kept;
    },
  },
  { operationId: 'list-tokens', status: 200 },
  { operationId: 'revoke-token', status: 200 },
  { operationId: 'hand-off-token', status: 201 },
  { operationId: 'set-secret', status: 201 },
  { operationId: 'import-secrets', status: 200 },
  { operationId: 'pull-secrets', status: 200 },
  { operationId: 'list-keys', status: 200 },
  { operationId: 'list-versions', status: 200 },
  { operationId: 'list-revisions', status: 200 },
  { operationId: 'diff-revisions', status: 200 },
  { operationId: 'restore-secrets', status: 200 },
  { operationId: 'promote-secrets', status: 200 },
  { operationId: 'compare-environments', status: 200 },
  { operationId: 'apply-changes', status: 200 },
  { operationId: 'add-template-key', status: 201 },
  { operationId: 'list-template-keys', status: 200 },
  { operationId: 'validate-environment', status: 200 },
  { operationId: 'update-template-key', status: 200 },
  { operationId: 'remove-template-key', status: 200 },
  { operationId: 'delete-secret', status: 200 },
  { operationId: 'bulk-delete-secrets', status: 200 },
  { operationId: 'destroy-versions', status: 200 },
  { operationId: 'rotate-key', status: 202 },
  {
    operationId: 'create-webhook',
    status: 201,
    after: ({ webhook }) => {
      variables.WEBHOOK_ID = webhook.id;
    },
  },
  { operationId: 'list-webhooks', status: 200 },
  { operationId: 'get-webhook', status: 200 },
  { operationId: 'update-webhook', status: 200 },
  { operationId: 'test-webhook', status: 202 },
  { operationId: 'delete-webhook', status: 200 },
  {
    operationId: 'create-identity',
    status: 201,
    after: ({ identity }) => {
      variables.IDENTITY_ID = identity.id;
    },
  },
  { operationId: 'list-identities', status: 200 },
  { operationId: 'get-identity', status: 200 },
  {
    operationId: 'exchange-assertion',
    status: 201,
    before: async () => {
      // The platform that the sample names is out of reach, so the keys of one here stand in for its keys.
      const key = await makeSigningKey();
      const identity = `/identities/${variables.ORG_ID}/${variables.IDENTITY_ID}`;
      const as = { token: variables.HOLDFAST_TOKEN ?? '' };
      const { body } = await api.patch(identity, { jwks: { keys: [key.publicJwk] } }, as);
      const { issuer: url, id } = body.identity;
      variables.ID_TOKEN = await signToken({ url }, key, id);
    },
  },
  { operationId: 'update-identity', status: 200 },
  { operationId: 'delete-identity', status: 200 },
  {
    operationId: 'invite-member',
    status: 201,
    after: ({ token }) => {
      variables.INVITATION_TOKEN = token;
    },
  },
  { operationId: 'list-members', status: 200 },
  {
    operationId: 'accept-invitation',
    status: 200,
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
    status: 200,
    before: async () => {
      variables.HOLDFAST_TOKEN = await tokenOf(ada);
    },
  },
  { operationId: 'remove-member', status: 200 },
  { operationId: 'rename-organization', status: 200 },
  { operationId: 'get-billing', status: 200 },
  { operationId: 'start-checkout', status: 200 },
  { operationId: 'open-portal', status: 200 },
  {
    operationId: 'create-organization',
    status: 201,
    after: ({ organization }) => {
      paying = organization.id;
    },
  },
  {
    operationId: 'receive-provider-event',
    status: 200,
    before: async () => {
      const event = providerEvent(paying, 'pro', process.env.STRIPE_WEBHOOK_SECRET ?? '');
      variables.STRIPE_SIGNATURE = event.headers['stripe-signature'];
      writeFileSync(join(directory, 'event.json'), event.body);
    },
  },
  {
    operationId: 'get-statistics',
    status: 200,
    before: () =>
      run('npm', ['run', '--silent', 'grant-admin', '--', ada.email], {
        cwd: root,
        env: { ...process.env, PORT: new URL(api.url).port },
      }),
  },
  { operationId: 'list-organizations', status: 200 },
  { operationId: 'inspect-organization', status: 200 },
  { operationId: 'update-organization', status: 200 },
  { operationId: 'list-plans', status: 200 },
  { operationId: 'update-plan', status: 200 },
  { operationId: 'summarize-metrics', status: 200 },
  { operationId: 'list-audit-entries', status: 200 },
  { operationId: 'change-password', status: 200 },
  {
    operationId: 'list-sessions',
    status: 200,
    before: () => api.post('/auth/login', { ...ada, password: changedPassword }),
    after: ({ sessions }) => {
      variables.SESSION_ID = sessions[0].id;
    },
  },
  { operationId: 'end-session', status: 200 },
  { operationId: 'log-out', status: 200 },
  { operationId: 'delete-environment', status: 200 },
  { operationId: 'delete-project', status: 200 },
  { operationId: 'delete-organization', status: 200 },
  { operationId: 'request-password-reset', status: 200 },
  {
    operationId: 'reset-password',
    status: 200,
    before: async () => {
      variables.RESET_TOKEN = await mailedToken(api, ada.email, 'Reset');
    },
  },
];

beforeAll(async () => {
  api = await startApi();
  directory = mkdtempSync(join(tmpdir(), 'holdfast-samples-'));
  writeFileSync(join(directory, '.curlrc'), 'write-out = "\\n%{http_code}"\n');
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await api.stop();
});

describe('the curl sample', () => {
  it('of each operation has its place in the story above', () => {
    const operations = routes.map(({ operationId }) => operationId);
    expect(story.map(({ operationId }) => operationId).toSorted()).toEqual(operations.toSorted());
  });

  it.each(story)('of $operationId works as pasted', async ({ operationId, status, before, after }) => {
    await before?.();
    const contract = routes.find(route => route.operationId === operationId);
    if (contract === undefined) throw new Error(`There is no operation ${operationId}.`);
    const answer = await paste(curlSampleOf(contract));
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status });
    after?.(answer.body);
  });
});
