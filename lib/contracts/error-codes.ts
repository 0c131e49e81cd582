/**
 * Every error code that clients can get, with its status. A closed set: `openapi.json`, the contracts and the error
 * renderer are all derived from it.
 */
export const errorStatuses = {
  invalid_request: 400,
  invalid_token: 400,
  invalid_signature: 400,
  unauthenticated: 401,
  invalid_credentials: 401,
  invalid_assertion: 401,
  second_factor_required: 401,
  plan_limit_exceeded: 402,
  forbidden: 403,
  insufficient_scope: 403,
  csrf_header_required: 403,
  admin_required: 403,
  email_not_verified: 403,
  claims_mismatch: 403,
  step_up_required: 403,
  provider_required: 403,
  session_confined: 403,
  organization_not_found: 404,
  project_not_found: 404,
  environment_not_found: 404,
  secret_not_found: 404,
  revision_not_found: 404,
  webhook_not_found: 404,
  delivery_not_found: 404,
  member_not_found: 404,
  token_not_found: 404,
  template_key_not_found: 404,
  plan_not_found: 404,
  session_not_found: 404,
  identity_not_found: 404,
  passkey_not_found: 404,
  link_not_found: 404,
  route_not_found: 404,
  email_taken: 409,
  passkey_taken: 409,
  slug_taken: 409,
  already_member: 409,
  last_owner: 409,
  rotation_in_progress: 409,
  template_key_exists: 409,
  token_limit_reached: 409,
  organization_limit_reached: 409,
  identity_limit_reached: 409,
  assertion_replayed: 409,
  version_destroyed: 409,
  webhook_inactive: 409,
  not_redeliverable: 409,
  domain_taken: 409,
  domain_not_verified: 409,
  cursor_expired: 410,
  revision_mismatch: 412,
  version_mismatch: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  not_representable: 422,
  rate_limited: 429,
  internal_error: 500,
  billing_provider_error: 502,
  billing_not_configured: 503,
  issuer_unavailable: 503,
  temporarily_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorStatuses;

/** If an organization requires a second factor, the code is the same as at log-in, but no challenge is issued. */
export const statusInOrganization: Readonly<Partial<Record<ErrorCode, number>>> = { second_factor_required: 403 };

/**
 * One problem with a request: its location (`secrets.3.key`, or an empty path for the whole body) and a message. Never
 * the value.
 */
export interface Problem {
  path: string;
  message: string;
}
