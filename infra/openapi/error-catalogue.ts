import { maximumBodyBytes } from '#lib/contracts/contract.ts';
import type { ErrorCode } from '#lib/contracts/error-codes.ts';

interface DocumentedError {
  /** When a client gets it. */
  meaning: string;
  /** An example message. */
  message: string;
  details?: unknown;
}

const notFound = (thing: string): DocumentedError => ({
  meaning: `The ${thing} does not exist or the caller can’t see it.`,
  message: `There is no such ${thing}.`,
});

/** The documentation of each error code. If one is missing, the type check fails. */
export const errorCatalogue: Readonly<Record<ErrorCode, DocumentedError>> = {
  invalid_request: {
    meaning: 'The request is not valid; `details` lists all problems.',
    message: 'The request is not valid. secrets.3.key: must begin with a letter or underscore (and 1 more)',
    details: [
      { path: 'secrets.3.key', message: 'must begin with a letter or underscore' },
      { path: 'secrets.7.value', message: 'must have at most 65536 bytes in UTF-8' },
    ],
  },
  invalid_token: {
    meaning: 'The link token or code is unknown, used or expired.',
    message: 'This link is unknown, was already used or has expired.',
  },
  invalid_signature: {
    meaning: 'The provider’s signature does not match the raw body.',
    message: 'The signature is not valid.',
  },
  unauthenticated: {
    meaning: 'There is no valid session cookie or bearer token.',
    message: 'Log in or send a bearer token.',
  },
  invalid_credentials: {
    meaning: 'The e-mail address or the password is wrong.',
    message: 'The e-mail address or the password is wrong.',
  },
  invalid_assertion: {
    meaning:
      'The assertion was rejected: the identity or organization is unknown, the signature, issuer or audience ' +
      'is wrong, or the token is too old. All of these get the same response.',
    message: 'The token does not match any identity of this organization.',
  },
  second_factor_required: {
    meaning:
      'The account has a second factor; `details` contains the challenge, the methods and the passkey options. In an ' +
      'organization that requires one (403, without details), this session or token was created without a second factor.',
    message: 'A second factor is required.',
    details: { challenge: 'EXAMPLE-challenge-0000', methods: ['totp', 'recovery_code'] },
  },
  plan_limit_exceeded: {
    meaning: 'The plan’s limit is reached; `details` contains the limit’s name, its value and the current usage.',
    message: 'The plan allows at most 10 projects.',
    details: { limit: 'maxProjects', value: 10, used: 10 },
  },
  forbidden: {
    meaning: 'The caller’s role in the organization does not allow this.',
    message: 'Your role in this organization does not allow this.',
  },
  insufficient_scope: {
    meaning: 'The bearer token does not allow this, even if its user’s role does.',
    message: 'This token does not allow this.',
  },
  csrf_header_required: {
    meaning: 'A change with the session cookie requires the header `X-Requested-With: service`.',
    message: 'A change with the session cookie requires the header X-Requested-With: service.',
  },
  admin_required: {
    meaning: 'The caller is not a platform administrator.',
    message: 'Only platform administrators can do this.',
  },
  email_not_verified: {
    meaning: 'This requires a verified e-mail address, and the caller has not verified theirs.',
    message: 'Verify your e-mail address first.',
  },
  claims_mismatch: {
    meaning:
      'The assertion is valid, but its claims don’t match those the identity requires; `details` names the claims.',
    message: 'These claims of the token do not match the identity: ref.',
    details: { claims: ['ref'] },
  },
  step_up_required: {
    meaning:
      'This requires a log-in or step-up within the last ten minutes: step up (`POST /v1/auth/step-up`), then ' +
      'send the request again.',
    message: 'Confirm that it’s you: step up, then send the request again.',
  },
  provider_required: {
    meaning:
      'The organization requires its sign-in provider, and this session or token did not come through it. Sign in with ' +
      'the provider. An owner can also log in with a passkey or an authenticator app that was added before the provider ' +
      'was required, or seven days ago. Or, for a token: its user’s last sign-in through the provider is longer ago than ' +
      'the organization’s `recheckDays` allow. Sign in with the provider; then the token is accepted again.',
    message: 'This organization requires its sign-in provider. Sign in with it.',
  },
  network_not_allowed: {
    meaning:
      'The organization accepts requests only from certain networks, and this one came from another. Send it from one of ' +
      'them, or ask an owner to add yours. If no owner is in one, a platform administrator can remove the restriction.',
    message: 'This organization accepts requests only from its own networks, and 203.0.113.9 is in none of them.',
  },
  session_confined: {
    meaning:
      'The session came through a company’s provider and is limited to its organization. Confirm it with the account’s ' +
      'own password or passkey (`POST /v1/auth/step-up`), then send the request again.',
    message:
      'This session is limited to the organization of its sign-in provider. Confirm it with your own password or passkey ' +
      'first.',
  },
  self_approval: {
    meaning:
      'Somebody else has to do it: nobody decides about a change that they proposed, or that an identity did that they ' +
      'set up. Who starts a recovery can’t approve it, and nobody becomes an owner by it alone.',
    message: 'You started this recovery. Another administrator has to approve it.',
  },
  organization_not_found: {
    meaning: 'The organization does not exist, or the caller is not a member.',
    message: 'There is no such organization.',
  },
  project_not_found: notFound('project'),
  environment_not_found: notFound('environment'),
  secret_not_found: notFound('secret'),
  revision_not_found: notFound('revision'),
  recovery_not_found: notFound('recovery'),
  deleted_not_found: notFound('deleted project, environment or organization that can be restored'),
  proposal_not_found: notFound('proposal'),
  grant_not_found: notFound('grant or open request'),
  webhook_not_found: notFound('webhook'),
  delivery_not_found: notFound('delivery'),
  member_not_found: notFound('member or invitation'),
  token_not_found: notFound('token'),
  template_key_not_found: notFound('template key'),
  plan_not_found: notFound('plan'),
  passkey_not_found: notFound('passkey'),
  link_not_found: {
    meaning: 'The caller has no link to a sign-in provider with this identifier.',
    message: 'You have no link with this identifier.',
  },
  session_not_found: {
    meaning: 'The caller has no active session with this identifier.',
    message: 'You have no session with this identifier.',
  },
  identity_not_found: notFound('identity'),
  route_not_found: {
    meaning: 'The route does not exist, or does not support this method.',
    message: 'There is no such route.',
  },
  email_taken: {
    meaning: 'An account with this e-mail address already exists.',
    message: 'An account with this e-mail address already exists.',
  },
  passkey_taken: {
    meaning: 'Another account has this passkey.',
    message: 'This passkey belongs to another account.',
  },
  key_referenced: {
    meaning: 'The key would be deleted, but other values name it. Delete or change those in the same change.',
    message: 'The secret DATABASE_HOST can’t be deleted, because the value of DATABASE_URL names it.',
    details: { key: 'DATABASE_HOST', referencedBy: ['DATABASE_URL'] },
  },
  version_destroyed: {
    meaning:
      'Reading or restoring this point in time requires destroyed values. `details` lists their keys; use ' +
      '`keys` to read or restore the others.',
    message: 'Values from that point in time were destroyed: DATABASE_HOST',
    details: { keys: ['DATABASE_HOST'] },
  },
  webhook_inactive: {
    meaning: 'The webhook is inactive, so nothing is sent to it.',
    message: 'This webhook is inactive. Activate it first.',
  },
  not_redeliverable: {
    meaning: 'What this delivery sent is no longer known, so it can’t be sent again.',
    message: 'What this delivery sent is no longer known, so it can’t be sent again.',
  },
  domain_taken: {
    meaning: 'The domain is verified for another organization.',
    message: 'This domain is verified for another organization.',
  },
  domain_not_verified: {
    meaning: 'The domain does not have the TXT record that proves who controls it. DNS changes may take hours.',
    message: 'The domain has no such TXT record yet: holdfast-verification=EXAMPLE',
  },
  recovery_in_progress: {
    meaning: 'A recovery of the organization is waiting. Only one can.',
    message: 'A recovery of this organization is waiting: stop it first.',
  },
  recovery_not_ready: {
    meaning:
      'The recovery lacks its approval or its waiting time, or the person or an administrator no longer qualifies.',
    message: 'Another administrator has to approve this recovery first.',
  },
  recovery_closed: {
    meaning: 'The recovery was completed or stopped, or has expired.',
    message: 'This recovery is no longer waiting: it was completed or stopped, or has expired.',
  },
  approval_required: {
    meaning:
      'Changes of this environment need approval: propose the change, or wait until enough people have approved.',
    message: 'Changes of this environment need approval: propose it instead.',
    details: { propose: '/v1/secrets/acme/web-shop/production/proposals' },
  },
  proposal_stale: {
    meaning: 'Keys of the proposal have changed since it was proposed; it stays open. Its author can rebase it.',
    message: 'Secrets that the proposal changes have changed since. Its author has to propose it anew.',
    details: { keys: ['DATABASE_HOST'] },
  },
  proposal_closed: {
    meaning: 'The proposal was applied, rejected or withdrawn, or has expired.',
    message: 'The proposal is no longer open: it was applied.',
    details: { state: 'applied' },
  },
  proposal_limit_reached: {
    meaning: 'The environment has as many open proposals as it can have.',
    message: 'The environment has 20 open proposals. Decide about one of them first.',
    details: { maximum: 20 },
  },
  rotation_open: {
    meaning:
      'The secret is being rotated: another rotation of it has to wait, and one that has started can’t be rejected, nor ' +
      'finished before it is applied. `details` names the keys and the proposals if another rotation is in the way.',
    message: 'DATABASE_PASSWORD is being rotated already. End that rotation first.',
    details: { keys: ['DATABASE_PASSWORD'], proposals: ['01943c8e-5a10-7c3d-9f42-6b8e2d7a1c05'] },
  },
  cursor_expired: {
    meaning: 'The plan no longer retains all entries after this position, so the feed would have a gap.',
    message: 'Entries after this position are no longer retained. Start again with since=2026-08-23T00:00:00.000Z.',
  },
  slug_taken: {
    meaning:
      'The requested slug is taken. If its last project or environment is still being erased, `details` is ' +
      '`{beingErased: true, retryAfterSeconds}`. If it can still be restored, `details` is `{deletedAt, erasedAt}`; for ' +
      'the slug of an organization, only whoever deleted it gets that.',
    message: 'The slug web-shop is taken.',
  },
  already_member: {
    meaning: 'The user is already a member of the organization.',
    message: 'This user is already a member.',
  },
  last_owner: {
    meaning: 'The last owner of an organization can’t be demoted or removed.',
    message: 'An organization needs an owner, and this is the last one.',
  },
  rotation_in_progress: {
    meaning: 'The previous rotation of the key is still in progress.',
    message: 'The previous rotation is still in progress.',
  },
  template_key_exists: {
    meaning: 'The template already has this key.',
    message: 'The template already has this key.',
  },
  token_limit_reached: {
    meaning: 'The user has the maximum number of tokens.',
    message: 'You have 100 tokens. Revoke one that is no longer used.',
  },
  organization_limit_reached: {
    meaning: 'The user owns the maximum number of organizations.',
    message: 'You own 20 organizations. Delete one that is no longer used.',
  },
  identity_limit_reached: {
    meaning: 'The organization has the maximum number of identities.',
    message: 'The organization has 50 identities. Delete one that is no longer used.',
  },
  grant_limit_reached: {
    meaning: 'The member has the maximum number of grants or open requests at a time.',
    message: 'You have 10 open requests. Wait until one is answered.',
  },
  assertion_replayed: {
    meaning:
      'The assertion was already exchanged. Get a new one or, for a workload that can’t, set `singleUse: false` on the ' +
      'identity.',
    message: 'This token was already exchanged. Get a new one from its issuer.',
  },
  revision_mismatch: {
    meaning: 'The environment is not at the revision of `If-Match`; nothing was changed.',
    message: 'The environment is at revision 18.',
    details: { currentRevision: 18 },
  },
  version_mismatch: {
    meaning: 'The key is not at `expectedVersion` (0 = it does not exist); nothing was changed.',
    message: 'The secret is at version 3.',
    details: { currentVersion: 3 },
  },
  digest_mismatch: {
    meaning: 'The proposal is not the one with this digest; nothing was approved. Look at it again.',
    message: 'This is not the digest of the proposal. Look at it again: it may have been proposed anew.',
  },
  payload_too_large: {
    meaning:
      'The request’s body, the environment’s total, the change or the response would be too large. `details` has the ' +
      'size and the maximum.',
    message: `The body has ${maximumBodyBytes + 1} bytes; at most ${maximumBodyBytes} are allowed.`,
    details: { sizeBytes: maximumBodyBytes + 1, maximumBytes: maximumBodyBytes },
  },
  unsupported_media_type: {
    meaning: 'The body is not `application/json`.',
    message: 'The body must be application/json.',
  },
  not_representable: {
    meaning:
      'The requested `format` can’t hold these values exactly, or would make variables of keys that can control which ' +
      'code runs. `details.keys` lists each key with the reason. Nothing was returned. Use `keys` to request the ' +
      'others, `allow` to include such keys, or `format=json`, which holds every value.',
    message: '1 secret can’t be written as docker. Request the others with keys, or use format=json.',
    details: { keys: [{ key: 'TLS_CERTIFICATE', reason: 'contains a line break' }] },
  },
  reference_not_found: {
    meaning: 'The value of `details.key` names keys that the environment doesn’t have.',
    message: 'The value of DATABASE_URL names DATABASE_HOST, which does not exist in this environment.',
    details: { key: 'DATABASE_URL', references: ['DATABASE_HOST'] },
  },
  reference_cycle: {
    meaning: 'A value would name itself, directly or through other keys; `details.path` lists the keys.',
    message: 'The references form a cycle: DATABASE_URL → DATABASE_HOST → DATABASE_URL',
    details: { path: ['DATABASE_URL', 'DATABASE_HOST', 'DATABASE_URL'] },
  },
  reference_too_deep: {
    meaning: 'A value would name a key that names a key, and so on, more than ten times.',
    message: 'References may lead through at most 10 keys; those of DATABASE_URL lead through 11.',
    details: { key: 'DATABASE_URL', depth: 11, maximumDepth: 10 },
  },
  rate_limited: {
    meaning: 'Too many attempts; try again after `Retry-After` seconds.',
    message: 'Too many attempts. Try again later.',
  },
  internal_error: {
    meaning: 'Something went wrong in the service; `requestId` identifies it in the logs.',
    message: 'Something went wrong in the service.',
  },
  billing_provider_error: {
    meaning: 'The payment provider failed or rejected the request.',
    message: 'The payment provider could not be reached.',
  },
  billing_not_configured: {
    meaning: 'This installation has no payment provider.',
    message: 'Billing is not configured.',
  },
  issuer_unavailable: {
    meaning: 'The issuer’s keys can’t be read, and no cached ones are fresh enough.',
    message: 'The keys of the issuer can’t be read: timed out after 5 s.',
  },
  temporarily_unavailable: {
    meaning:
      'Contention outlasted the service’s own retries, or capacity is missing; try again after `Retry-After` seconds.',
    message: 'Many changes are being made at once. Try again.',
  },
};
