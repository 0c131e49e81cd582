import type { Contract } from '#lib/contracts/contract.ts';
import { type PathParameterName, parameterNames } from '#lib/contracts/path-parameters.ts';

/*
 * A curl command for each operation. Values that readers choose (slugs, keys, names) are the examples' own; values that
 * the service generates (identifiers, links, credentials) are shell variables, so that the command works as pasted.
 */

/** The value of each parameter in the samples. */
const pathExamples: Readonly<Record<PathParameterName, string>> = {
  orgId: '$ORG_ID',
  orgSlug: 'analytical-engines',
  project: 'web-shop',
  slug: 'web-shop',
  env: 'dev',
  key: 'DATABASE_HOST',
  tokenId: '$TOKEN_ID',
  passkeyId: '$PASSKEY_ID',
  linkId: '$LINK_ID',
  sessionId: '$SESSION_ID',
  webhookId: '$WEBHOOK_ID',
  deliveryId: '$DELIVERY_ID',
  proposalId: '$PROPOSAL_ID',
  identityId: '$IDENTITY_ID',
  id: '$MEMBER_ID',
  grantId: '$GRANT_ID',
  token: '$INVITATION_TOKEN',
  planName: 'pro',
};

/** What `{id}` is in the paths whose contract says so, by the error for an unknown one. */
const otherIds: Readonly<Record<string, string>> = {
  deleted_not_found: '$DELETED_ID',
  grant_not_found: '$REQUEST_ID',
};

/** The placeholders in the contracts' example bodies for values that the service generates. */
const bodyVariables: Readonly<Record<string, string>> = {
  '9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31': 'ORG_ID',
  '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73': 'PROJECT_ID',
  'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094': 'ENVIRONMENT_ID',
  '5f0a1c9e2b7d48f6a3e1908c7d6b5a4f3e2d1c0b9a8f7e6d5c4b3a2918070605': 'PROPOSAL_DIGEST',
  'EXAMPLE-verification-token-0000': 'VERIFICATION_TOKEN',
  'EXAMPLE-reset-token-0000': 'RESET_TOKEN',
  'EXAMPLE-undo-token-0000': 'UNDO_TOKEN',
  'EXAMPLE-change-token-0000': 'CHANGE_TOKEN',
  'EXAMPLE-email-undo-token-0000': 'EMAIL_UNDO_TOKEN',
  'EXAMPLE-stop-token-0000': 'STOP_TOKEN',
  '3e8b1d57-6c2f-4a90-8d15-7f4e2b9c6a03': 'RECOVERY_ID',
  'a4c7e10b-52d9-8f36-b18e-6d03f9a2c754': 'IDENTITY_ID',
  'EXAMPLE.id-token.0000': 'ID_TOKEN',
  'EXAMPLE-challenge-0000': 'CHALLENGE',
  '492039': 'TOTP_CODE',
  EXAMPLEcredentialId: 'CREDENTIAL_ID',
  eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0: 'CLIENT_DATA',
  o2NmbXRkbm9uZQ: 'ATTESTATION',
};

/** For the introduction of the API description: the variables, and where to find their values. */
export const sampleVariables: readonly (readonly [name: string, source: string])[] = [
  ['HOLDFAST_URL', 'this service without `/v1`, for example `http://127.0.0.1:3000`'],
  ['HOLDFAST_TOKEN', 'the `token` that `POST /v1/auth/token` returns'],
  ['ORG_ID, PROJECT_ID, ENVIRONMENT_ID', 'identifiers from `GET /v1/auth/me` and `GET /v1/projects/{orgId}`'],
  [
    'TOKEN_ID, SESSION_ID, PASSKEY_ID, WEBHOOK_ID, IDENTITY_ID, MEMBER_ID, GRANT_ID, REQUEST_ID, DELETED_ID',
    'the `id` of an entry in the list of tokens, sessions, passkeys, links, webhooks, identities, members, grants, ' +
      'requests for grants or what was deleted',
  ],
  ['PROPOSAL_ID, PROPOSAL_DIGEST', 'the `id` and the `digest` of the proposal'],
  ['RECOVERY_ID', 'the `id` in the response that started the recovery'],
  ['ID_TOKEN', 'the OpenID Connect token that the platform issued to the job'],
  [
    'VERIFICATION_TOKEN, RESET_TOKEN, UNDO_TOKEN, CHANGE_TOKEN, EMAIL_UNDO_TOKEN, STOP_TOKEN, INVITATION_TOKEN',
    'the end of a mailed link, after `#token=`',
  ],
  ['CHALLENGE', 'the `challenge` from the previous response'],
  ['TOTP_CODE', 'the code in the authenticator app'],
  ['CREDENTIAL_ID, CLIENT_DATA, ATTESTATION', 'fields of the result of `navigator.credentials.create`'],
];

/** Operations that require one of several parameters. */
const questions: Readonly<Record<string, string>> = { 'get-exposure': 'tokenId=$TOKEN_ID' };

/** Fits on the reference page without scrolling sideways. */
const lineLength = 60;

/** The sample of an operation: with the session cookie if it requires a session, else with a bearer token. */
export function curlSampleOf(contract: Contract): string {
  const exampleOf = (name: PathParameterName) =>
    (name === 'id' ? otherIds[contract.notFound?.[name] ?? ''] : undefined) ?? pathExamples[name];
  const path = parameterNames(contract.path).reduce<string>(
    (text, name) => text.replace(`{${name}}`, () => exampleOf(name)),
    contract.path,
  );
  const hasBody = contract.bodyExample !== undefined || contract.rawBody === true;
  const isImplied = contract.method === 'GET' || (contract.method === 'POST' && hasBody);
  const parts = [
    `curl -sS "$HOLDFAST_URL${path}${requiredQuery(contract)}"`,
    ...(isImplied ? [] : [`-X ${contract.method}`]),
    ...credentials(contract),
  ];
  if (contract.rawBody) parts.push(`-H "Stripe-Signature: $STRIPE_SIGNATURE"`);
  if (hasBody) parts.push(`-H 'Content-Type: application/json'`);
  if (contract.rawBody) parts.push('--data-binary @event.json');
  else if (hasBody) parts.push(`-d ${shellJson(contract.bodyExample)}`);
  return parts.join(' \\\n  ');
}

function requiredQuery({ operationId, query }: Contract): string {
  const question = questions[operationId];
  if (question !== undefined) return `?${question}`;
  const required = Object.entries(query?.shape ?? {}).filter(([, schema]) => !schema.safeParse(undefined).success);
  const given = required.map(([name, schema]): [string, string] => [name, String(schema.meta()?.example)]);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

function credentials(contract: Contract): string[] {
  const { access, method, responses } = contract;
  const setsCookie = Object.values(responses).some(({ headers }) => headers !== undefined && 'Set-Cookie' in headers);
  const store = setsCookie ? ['-c cookies.txt'] : [];
  if (access.kind === 'public') return store;
  const needsSession = access.kind === 'optional' || ('tokens' in access && access.tokens === 'session');
  if (!needsSession) return ['-H "Authorization: Bearer $HOLDFAST_TOKEN"', ...store];
  return ['-b cookies.txt', ...store, ...(method === 'GET' ? [] : [`-H 'X-Requested-With: service'`])];
}

/** A value as JSON in single quotes, with the variables between them in double quotes. */
function shellJson(value: unknown): string {
  const oneLine = spaced(value);
  const json = oneLine.length <= lineLength ? oneLine : JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');
  return `'${Object.entries(bodyVariables).reduce(
    (text, [example, name]) => text.replaceAll(example, `'"$${name}"'`),
    json.replaceAll("'", "'\\''"),
  )}'`;
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`)
    .join(', ')}}`;
}
