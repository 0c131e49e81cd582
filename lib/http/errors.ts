/**
 * Every error code a client can meet, with its status. A closed set: `openapi.json`, the contracts and the error
 * renderer all derive from it.
 */
export const errorStatuses = {
  invalid_request: 400,
  invalid_token: 400,
  invalid_signature: 400,
  unauthenticated: 401,
  invalid_credentials: 401,
  plan_limit_exceeded: 402,
  forbidden: 403,
  insufficient_scope: 403,
  csrf_header_required: 403,
  admin_required: 403,
  organization_not_found: 404,
  project_not_found: 404,
  environment_not_found: 404,
  secret_not_found: 404,
  webhook_not_found: 404,
  member_not_found: 404,
  token_not_found: 404,
  template_key_not_found: 404,
  plan_not_found: 404,
  route_not_found: 404,
  email_taken: 409,
  slug_taken: 409,
  already_member: 409,
  last_owner: 409,
  rotation_in_progress: 409,
  template_key_exists: 409,
  revision_mismatch: 412,
  version_mismatch: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  billing_provider_error: 502,
  billing_not_configured: 503,
  temporarily_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorStatuses;

/** One problem of a request: where (`secrets.3.key`, or `` for the whole body) and what. Never the offending value. */
export interface Problem {
  path: string;
  message: string;
}

/** An error that a client may see as it is: a code of the closed set, a sentence, and details without any secret. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | readonly Problem[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      details?: Record<string, unknown> | readonly Problem[];
      retryAfterSeconds?: number;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return errorStatuses[this.code];
  }
}

/** A 400 that names every problem at once. */
export function invalidRequest(problems: readonly Problem[]): ApiError {
  const first = problems[0];
  const where = first?.path ? `${first.path}: ` : '';
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return new ApiError('invalid_request', `The request is not valid. ${where}${first?.message ?? ''}${more}`, {
    details: problems,
  });
}

/** A 503 for contention or throttling that outlasted the service's own retries; the same request may be sent again. */
export function temporarilyUnavailable(message: string, cause?: unknown): ApiError {
  return new ApiError('temporarily_unavailable', message, { retryAfterSeconds: 1, cause });
}
