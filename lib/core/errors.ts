import { type ErrorCode, errorStatuses, type Problem, statusInOrganization } from '../contracts/error-codes.ts';

/** An error that a client may see: a code of the closed set, a sentence, and details without secrets. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | readonly Problem[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly status: number;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      details?: Record<string, unknown> | readonly Problem[];
      retryAfterSeconds?: number;
      inOrganization?: true;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.status = (options.inOrganization === true ? statusInOrganization[code] : undefined) ?? errorStatuses[code];
  }
}

/** As many as an import has keys. A hostile body can have a million problems, and their answer would not fit Lambda's. */
const maximumProblems = 1000;
/** A path may hold names that the caller made up. */
const maximumPathLength = 500;

/** A 400 that names every problem at once. */
export function invalidRequest(problems: readonly Problem[]): ApiError {
  const details = problems.slice(0, maximumProblems).map(({ path, message }) => ({ path: shortened(path), message }));
  const first = details[0];
  const where = first?.path ? `${first.path}: ` : '';
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return new ApiError('invalid_request', `The request is not valid. ${where}${first?.message ?? ''}${more}`, {
    details,
  });
}

function shortened(path: string): string {
  return path.length <= maximumPathLength ? path : `${path.slice(0, maximumPathLength)}…`;
}

/** The answer to anyone who is no member of the organization, as for one that does not exist. */
export function organizationNotFound(options: { cause?: unknown } = {}): ApiError {
  return new ApiError('organization_not_found', 'There is no such organization.', options);
}

export function projectNotFound(): ApiError {
  return new ApiError('project_not_found', 'There is no such project in this organization.');
}

/** A 503 for contention or throttling that outlasted the service's own retries. The client may send the request again. */
export function temporarilyUnavailable(message: string, cause?: unknown): ApiError {
  return new ApiError('temporarily_unavailable', message, { retryAfterSeconds: 1, cause });
}
