import { type ErrorCode, errorStatuses, type Problem, statusInOrganization } from '../contracts/error-codes.ts';

interface ErrorOptions {
  details?: Record<string, unknown> | readonly Problem[];
  retryAfterSeconds?: number;
  inOrganization?: true;
  /** A refusal that needs no attention from operators: contention, maintenance, or something already logged. */
  isExpected?: boolean;
  cause?: unknown;
}

/** An error that clients may see: a code from the closed set, a sentence, and details without secrets. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: ErrorOptions['details'];
  readonly retryAfterSeconds: number | undefined;
  readonly isExpected: boolean;
  readonly status: number;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isExpected = options.isExpected ?? false;
    this.status = (options.inOrganization === true ? statusInOrganization[code] : undefined) ?? errorStatuses[code];
  }
}

/** As many as an import can have keys. A hostile body has more, which would not fit in a Lambda response. */
const maximumProblems = 1000;
/** Paths may contain names that the caller chose. */
const maximumPathLength = 500;

export function invalidRequest(problems: readonly Problem[]): ApiError {
  const shortened = (path: string) =>
    path.length <= maximumPathLength ? path : `${path.slice(0, maximumPathLength)}…`;
  const details = problems.slice(0, maximumProblems).map(({ path, message }) => ({ path: shortened(path), message }));
  const [first] = details;
  const where = first?.path ? `${first.path}: ` : '';
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  const message = `The request is not valid. ${where}${first?.message ?? ''}${more}`;
  return new ApiError('invalid_request', message, { details });
}

/** Sent to everyone who is not a member, so that they can't tell whether the organization exists. */
export function organizationNotFound(options: { cause?: unknown } = {}): ApiError {
  return new ApiError('organization_not_found', 'There is no such organization.', options);
}

export function projectNotFound(): ApiError {
  return new ApiError('project_not_found', 'There is no such project in this organization.');
}

export function environmentNotFound(): ApiError {
  return new ApiError('environment_not_found', 'There is no such environment in this project.');
}

/** Logged as `reason` of each change that is rejected during maintenance; the deployment counts them by it. */
export const maintenanceMessage =
  'The service is under maintenance. Secrets can be read and rights taken away, but nothing else can be changed. ' +
  'Send the request again in a minute.';

/** A 503 for contention or throttling that outlasted the service's own retries. The client may retry. */
export function temporarilyUnavailable(message: string, cause?: unknown, { isExpected = false } = {}): ApiError {
  return new ApiError('temporarily_unavailable', message, { retryAfterSeconds: 1, cause, isExpected });
}
