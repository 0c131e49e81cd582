import { maximumBodyBytes } from '../../lib/contracts/contract.ts';
import type { ErrorCode } from '../../lib/contracts/error-codes.ts';

interface DocumentedError {
  /** When a client meets it. */
  meaning: string;
  /** An example of its message. */
  message: string;
  details?: unknown;
}

const notFound = (thing: string): DocumentedError => ({
  meaning: `There is no such ${thing} for this caller.`,
  message: `There is no such ${thing}.`,
});

/** What the documentation says about each error code. The type makes a missing one a compile error. */
export const errorCatalogue: Readonly<Record<ErrorCode, DocumentedError>> = {
  invalid_request: {
    meaning: 'The request is not valid; `details` names every problem at once.',
    message: 'The request is not valid. secrets.3.key: must begin with a letter or underscore (and 1 more)',
    details: [
      { path: 'secrets.3.key', message: 'must begin with a letter or underscore' },
      { path: 'secrets.7.value', message: 'must have at most 65536 bytes in UTF-8' },
    ],
  },
  invalid_token: {
    meaning: 'The link token or code is unknown, used or expired.',
    message: 'This link is unknown, was used already or has expired.',
  },
  invalid_signature: {
    meaning: 'The provider’s signature over the raw body does not verify.',
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
      'The assertion proves no identity: an unknown identity or organization, a wrong signature, issuer or audience, or a ' +
      'token that is too old. One answer for all of them.',
    message: 'The token proves no identity of this organization.',
  },
  second_factor_required: {
    meaning:
      'The account has a second factor, and `details` names the challenge, the methods and what a passkey needs. In an ' +
      'organization that demands one (403, without details): this session or token was not proved with one.',
    message: 'A second factor is needed.',
    details: { challenge: 'EXAMPLE-challenge-0000', methods: ['totp', 'recovery_code'] },
  },
  plan_limit_exceeded: {
    meaning: 'The plan does not allow more; `details` has the limit’s name, its value and what is used.',
    message: 'The plan allows no more than 10 projects.',
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
    meaning: 'A change with the session cookie needs the header `X-Requested-With: service`.',
    message: 'A change with the session cookie needs the header X-Requested-With: service.',
  },
  admin_required: {
    meaning: 'The caller is not a platform administrator.',
    message: 'This is for platform administrators.',
  },
  email_not_verified: {
    meaning: 'The caller has not verified their e-mail address yet, and this needs it.',
    message: 'Verify your e-mail address first.',
  },
  claims_mismatch: {
    meaning: 'The assertion is genuine, and is not from where the identity demands; `details` names the claims.',
    message: 'The token does not have what the identity demands of these claims: ref.',
    details: { claims: ['ref'] },
  },
  step_up_required: {
    meaning:
      'The session did not prove itself in the last ten minutes, and this needs it: step up (`POST /v1/auth/step-up`), and ' +
      'send the request again.',
    message: 'Confirm that it is you: step up, and send the request again.',
  },
  organization_not_found: {
    meaning: 'There is no such organization, or the caller is no member of it.',
    message: 'There is no such organization.',
  },
  project_not_found: notFound('project'),
  environment_not_found: notFound('environment'),
  secret_not_found: notFound('secret'),
  revision_not_found: notFound('revision'),
  webhook_not_found: notFound('webhook'),
  member_not_found: notFound('member or invitation'),
  token_not_found: notFound('token'),
  template_key_not_found: notFound('template key'),
  plan_not_found: notFound('plan'),
  passkey_not_found: notFound('passkey'),
  session_not_found: {
    meaning: 'The caller has no active session with this identifier.',
    message: 'You have no session with this identifier.',
  },
  identity_not_found: notFound('identity'),
  route_not_found: {
    meaning: 'There is no such route, or not with this method.',
    message: 'There is no such route.',
  },
  email_taken: {
    meaning: 'There is an account with this e-mail address.',
    message: 'There is an account with this e-mail address already.',
  },
  version_destroyed: {
    meaning:
      'Reading or restoring that moment needs values that were destroyed. `details` names their keys; with `keys`, the ' +
      'others can be read and restored.',
    message: 'Values of that moment were destroyed: DATABASE_HOST',
    details: { keys: ['DATABASE_HOST'] },
  },
  slug_taken: {
    meaning: 'The slug that was asked for is taken.',
    message: 'The slug web-shop is taken.',
  },
  already_member: {
    meaning: 'The user is a member of the organization already.',
    message: 'This user is a member already.',
  },
  last_owner: {
    meaning: 'The last owner of an organization can’t be demoted or removed.',
    message: 'An organization needs an owner, and this is the last one.',
  },
  rotation_in_progress: {
    meaning: 'The last rotation of the key is still going on.',
    message: 'The last rotation is still going on.',
  },
  template_key_exists: {
    meaning: 'The template has this key already.',
    message: 'The template has this key already.',
  },
  token_limit_reached: {
    meaning: 'The user has as many tokens as a user may have.',
    message: 'You have 100 tokens. Revoke one that is not used any more.',
  },
  organization_limit_reached: {
    meaning: 'The user owns as many organizations as a user may.',
    message: 'You own 20 organizations. Delete one that is not used any more.',
  },
  identity_limit_reached: {
    meaning: 'The organization has as many identities as an organization may have.',
    message: 'The organization has 50 identities. Delete one that is not used any more.',
  },
  assertion_replayed: {
    meaning: 'The assertion was exchanged before; each works once.',
    message: 'This token was exchanged before. Get a new one from its issuer.',
  },
  revision_mismatch: {
    meaning: 'The environment is not at the revision of `If-Match`; nothing was changed.',
    message: 'The environment is at revision 18.',
    details: { currentRevision: 18 },
  },
  version_mismatch: {
    meaning: 'The key is not at `expectedVersion` (0 = it is not there); nothing was changed.',
    message: 'The secret is at version 3.',
    details: { currentVersion: 3 },
  },
  payload_too_large: {
    meaning: 'The request’s body, the environment’s total or the answer would be too large.',
    message: `The body has ${maximumBodyBytes + 1} bytes; at most ${maximumBodyBytes} are taken.`,
    details: { sizeBytes: maximumBodyBytes + 1, maximumBytes: maximumBodyBytes },
  },
  unsupported_media_type: {
    meaning: 'The body is not `application/json`.',
    message: 'The body must be application/json.',
  },
  rate_limited: {
    meaning: 'Too many attempts; try again after `Retry-After` seconds.',
    message: 'Too many attempts. Try again later.',
  },
  internal_error: {
    meaning: 'Something went wrong in the service; `requestId` finds it in the logs.',
    message: 'Something went wrong in the service.',
  },
  billing_provider_error: {
    meaning: 'The payment provider failed or refused.',
    message: 'The payment provider could not be reached.',
  },
  billing_not_configured: {
    meaning: 'This installation has no payment provider.',
    message: 'Billing is not configured.',
  },
  issuer_unavailable: {
    meaning: 'The issuer’s keys can’t be read, and none are known that are fresh enough.',
    message: 'The keys of the issuer can’t be read: timed out after 5 s.',
  },
  temporarily_unavailable: {
    meaning: 'Contention or throttling outlasted the service’s own retries; send the same request again.',
    message: 'Many changes are being made at once. Try again.',
  },
};
