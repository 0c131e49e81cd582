import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { curlSampleOf } from '#infra/openapi/curl-samples.ts';
import type { Contract } from '#lib/contracts/contract.ts';
import { routes } from '#lib/contracts/routes.ts';
import { totpCode, totpStep } from '#lib/crypto/totp.ts';
import { eventually } from '#test/support/eventually.ts';
import { scratchDirectory, shared } from '#test/support/fixtures.ts';
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
type Variables = Record<string, string>;

/** What a reader does before and after pasting the sample, and the variables that this gives. */
interface Step {
  /** Needed only where the contract declares several successful ones. */
  status?: number;
  before?: () => Promise<Variables | undefined>;
  after?: (body: Body) => Variables | Promise<Variables>;
}

const directory = scratchDirectory();
const variables: Variables = {};

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
const logIn = async (account: typeof ada) => sessionOf(await api.post('/auth/login', account));

/** Logs in with a new token of the account. */
const tokenOf = async (account: typeof ada): Promise<Variables> => ({
  HOLDFAST_TOKEN: (await api.post('/auth/token', { name: 'samples' }, await logIn(account))).body.token,
});
const bearer = () => ({ token: variables.HOLDFAST_TOKEN ?? '' });
const nextCode = async () => ({ TOTP_CODE: totpCode(fromBase32(variables.TOTP_SECRET ?? ''), totpStep(Date.now())) });
const unusedCode = async () => {
  await forgetUsedCodes(variables.USER_ID ?? '');
  return nextCode();
};

async function deletedProject(): Promise<Variables> {
  const projects = `/projects/${variables.ORG_ID}`;
  const { project } = (await api.post(projects, { name: randomUUID() }, bearer())).body;
  await api.delete(`${projects}/${project.slug}?keepDays=7`, bearer());
  return { DELETED_ID: project.id };
}

/** The life of an account in samples, each operation once. What no step depends on may be left to `placeOf`. */
const story: Record<string, Step> = {
  register: { after: ({ user, organization }) => ({ USER_ID: user.id, ORG_ID: organization.id }) },
  'log-in': {},
  'send-verification': {},
  'verify-email': {
    before: async () => ({ VERIFICATION_TOKEN: await mailedToken(api, ada.email, 'Verify'), ...(await tokenOf(ada)) }),
  },
  'start-passkey': {
    after: ({ challenge, publicKey }) => {
      const { id, response } = createAuthenticator().create(publicKey);
      const { clientDataJSON, attestationObject } = response;
      return { CHALLENGE: challenge, CREDENTIAL_ID: id, CLIENT_DATA: clientDataJSON, ATTESTATION: attestationObject };
    },
  },
  'add-passkey': { after: async () => ({ UNDO_TOKEN: await mailedToken(api, ada.email, 'Your log-in') }) },
  'list-passkeys': { after: ({ passkeys }) => ({ PASSKEY_ID: passkeys[0].id }) },
  'start-passkey-login': {},
  'start-totp': { after: ({ secret }) => ({ TOTP_SECRET: secret }) },
  'confirm-totp': { before: nextCode },
  'complete-login': {
    before: async () => {
      const { body } = await api.post('/auth/login', ada);
      return { CHALLENGE: body.error.details.challenge, ...(await unusedCode()) };
    },
  },
  'step-up': { before: unusedCode },
  // She is the last owner of her organization.
  'close-account': { before: unusedCode, status: 409 },
  'renew-recovery-codes': {},
  'remove-totp': {},
  'remove-passkey': {},
  'create-project': {
    after: ({ project }) => ({ PROJECT_ID: project.id, ENVIRONMENT_ID: project.environments[0].id }),
  },
  'update-project': {},
  'create-environment': {},
  'update-environment': {},
  'create-token': { after: ({ cliToken }) => ({ TOKEN_ID: cliToken.id }) },
  'rename-user': {},
  'revoke-current-token': { before: () => tokenOf(ada), after: () => tokenOf(ada) },
  'revoke-token': {},
  'hand-off-token': {},
  'set-secret': { status: 201 },
  'import-secrets': {},
  'restore-secrets': {},
  'promote-secrets': {},
  'apply-changes': {},
  'add-template-key': {},
  'update-template-key': {},
  'remove-template-key': {},
  'delete-secret': {},
  'create-proposal': {
    after: ({ proposal }) => ({ PROPOSAL_ID: proposal.id, PROPOSAL_DIGEST: proposal.digest }),
  },
  'get-proposal': {},
  // She proposed it herself.
  'approve-proposal': { status: 403 },
  'reject-proposal': { status: 403 },
  'rebase-proposal': {},
  'apply-proposal': {},
  'withdraw-proposal': {
    before: async () => {
      const path = '/secrets/analytical-engines/web-shop/dev/proposals';
      const { body } = await api.post(path, { set: [{ key: 'PROPOSED', value: 'made-up' }] }, bearer());
      return { PROPOSAL_ID: body.proposal.id };
    },
  },
  'record-progress': {
    before: async () => {
      const path = '/secrets/analytical-engines/web-shop/dev/proposals';
      const rotation = { set: [{ key: 'ROTATED', value: 'made-up' }], purpose: 'rotation' };
      const { body } = await api.post(path, rotation, bearer());
      return { PROPOSAL_ID: body.proposal.id };
    },
  },
  'bulk-delete-secrets': {},
  'destroy-versions': {},
  'rotate-key': { status: 202 },
  'create-webhook': { after: ({ webhook }) => ({ WEBHOOK_ID: webhook.id }) },
  'update-webhook': {},
  'test-webhook': {
    after: async ({ deliveryId }) => {
      const webhook = `/webhooks/${variables.ORG_ID}/${variables.WEBHOOK_ID}`;
      await eventually(async () => expect((await api.get(webhook, bearer())).body.deliveries).toHaveLength(1));
      return { DELIVERY_ID: deliveryId };
    },
  },
  'get-webhook': {},
  'redeliver-webhook': {},
  'get-exposure': {},
  'feed-audit-entries': {},
  'delete-webhook': {},
  'create-identity': { after: ({ identity }) => ({ IDENTITY_ID: identity.id }) },
  'exchange-assertion': {
    before: async () => {
      // The platform in the sample is unreachable from here, so local keys stand in for its keys.
      const key = await makeSigningKey();
      const identity = `/identities/${variables.ORG_ID}/${variables.IDENTITY_ID}`;
      const { body } = await api.patch(identity, { jwks: { keys: [key.publicJwk] } }, bearer());
      const { issuer: url, id, claims } = body.identity;
      return { ID_TOKEN: await signToken({ url }, key, id, claims) };
    },
  },
  'update-identity': {},
  'get-identity': {},
  'delete-identity': {},
  'invite-member': { after: ({ token }) => ({ INVITATION_TOKEN: token }) },
  'accept-invitation': {
    before: async () => {
      await api.post('/auth/register', grace);
      return tokenOf(grace);
    },
    after: ({ member }) => ({ MEMBER_ID: member.id }),
  },
  'request-grant': { after: ({ request }) => ({ REQUEST_ID: request.id }) },
  'grant-request': { before: () => tokenOf(ada), after: ({ grant }) => ({ GRANT_ID: grant.id }) },
  'list-due': {},
  'list-grants': {},
  'revoke-grant': {},
  'create-grant': {},
  'refuse-request': {
    before: async () => {
      const asked = { environmentId: variables.ENVIRONMENT_ID, access: 'read', minutes: 60, reason: 'An incident' };
      const path = `/grants/${variables.ORG_ID}/requests`;
      return { REQUEST_ID: (await api.post(path, asked, await logIn(grace))).body.request.id };
    },
  },
  'change-role': {},
  'set-project-roles': {},
  'remove-member': {},
  'leave-organization': {
    before: async () => {
      const invitation = { email: grace.email, role: 'viewer' };
      const { token } = (await api.post(`/members/${variables.ORG_ID}/invite`, invitation, bearer())).body;
      // She was removed, so she returns only in a session.
      await api.post(`/members/invite/${token}/accept`, undefined, await logIn(grace));
      return tokenOf(grace);
    },
    after: () => tokenOf(ada),
  },
  'rename-organization': {},
  'find-sign-in-methods': {},
  'set-sign-in': {},
  'get-sign-in': {},
  // The example's domain is nobody's to verify, and its provider does not answer.
  'verify-domain': { status: 409 },
  'start-provider-sign-in': { status: 302 },
  'complete-provider-sign-in': { status: 302 },
  'continue-provider-sign-in': { status: 400 },
  'delete-sign-in': {},
  'start-checkout': {},
  'open-portal': {},
  'create-organization': { after: ({ organization }) => ({ PAYING_ORG_ID: organization.id }) },
  'receive-provider-event': {
    before: async () => {
      const event = providerEvent(variables.PAYING_ORG_ID ?? '', 'pro', process.env.STRIPE_WEBHOOK_SECRET ?? '');
      writeFileSync(join(directory, 'event.json'), event.body);
      return { STRIPE_SIGNATURE: event.headers['stripe-signature'] };
    },
  },
  'get-statistics': {
    before: async () => {
      const env = { ...process.env, PORT: new URL(api.url).port };
      await run('npm', ['run', '--silent', 'grant-admin', '--', ada.email], { cwd: root, env });
    },
  },
  'update-organization': {},
  'update-plan': {},
  'start-recovery': {
    before: async () => {
      const body = { token: await mailedToken(api, grace.email, 'Verify') };
      await api.post('/auth/verify-email', body);
    },
    after: async ({ recovery }) => ({
      RECOVERY_ID: recovery.id,
      STOP_TOKEN: await mailedToken(api, ada.email, 'may get another owner'),
    }),
  },
  // She started it herself.
  'advance-recovery': { status: 403 },
  'stop-recovery': {},
  'stop-mailed-recovery': {},
  'change-password': {},
  'change-email': {},
  'list-sessions': {
    before: async () => {
      await logIn({ ...ada, password: changedPassword });
    },
    after: ({ sessions }) => ({ SESSION_ID: sessions[0].id }),
  },
  'end-session': {},
  // Nobody has signed in with a provider.
  'end-provider-link': { before: async () => ({ LINK_ID: randomUUID() }), status: 404 },
  'log-out': {},
  'delete-environment': {},
  'delete-project': {},
  'restore-deleted': { before: deletedProject },
  'erase-deleted': { before: deletedProject },
  'restore-organization': {
    before: async () => {
      await api.delete(`/orgs/${variables.ORG_ID}?keepDays=7`, bearer());
      return {};
    },
  },
  'delete-organization': {},
  'confirm-email-change': {
    before: async () => ({ CHANGE_TOKEN: await mailedToken(api, 'ada@new.example.com', 'Confirm your new') }),
  },
  'undo-email-change': {
    before: async () => ({ EMAIL_UNDO_TOKEN: await mailedToken(api, ada.email, 'being changed') }),
  },
  'request-password-reset': {},
  'reset-password': { before: async () => ({ RESET_TOKEN: await mailedToken(api, ada.email, 'Reset') }) },
  'undo-factor': {},
};
const storyIds = Object.keys(story);

/** Where an operation that the story doesn't list runs: before what its path names is deleted. */
function placeOf({ path }: Contract): number {
  const isDeletedIn = (operationId: string) => {
    const step = contractOf(operationId);
    return step.method === 'DELETE' && `${path}/`.startsWith(`${step.path}/`);
  };
  const deleted = storyIds.findIndex(isDeletedIn);
  const last = storyIds.indexOf('change-password');
  return deleted === -1 ? last : Math.min(deleted, last);
}

/** All operations in order, including those that need nothing but the variables so far. */
function allOperations(): string[] {
  const isUnlisted = ({ operationId }: Contract) => !(operationId in story);
  const others = Map.groupBy(routes.filter(isUnlisted), placeOf);
  return storyIds.flatMap((id, index) => [...(others.get(index) ?? []).map(({ operationId }) => operationId), id]);
}

function contractOf(operationId: string): Contract {
  const contract = routes.find(route => route.operationId === operationId);
  if (contract === undefined) throw new Error(`There is no operation ${operationId}.`);
  return contract;
}

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
  writeFileSync(join(directory, '.curlrc'), 'write-out = "\\n%{http_code}"\n');
});

describe('the curl sample', () => {
  it.each(allOperations())('of %s works as pasted', async operationId => {
    const { status, before, after } = story[operationId] ?? {};
    Object.assign(variables, await before?.());
    const contract = contractOf(operationId);
    const answer = await paste(curlSampleOf(contract));
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: status ?? statusOf(contract) });
    Object.assign(variables, await after?.(answer.body));
  });
});
