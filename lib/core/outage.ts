/** The names and codes of errors that say that an AWS service failed or gave no answer. */
const outages = new Set([
  'InternalServerError',
  'KMSInternalException',
  'DependencyTimeoutException',
  'RequestTimeout',
  'RequestTimeoutException',
  'ServiceUnavailable',
  'ServiceUnavailableException',
  'TimeoutError',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
]);

/** Whether an AWS service failed or gave no answer. It may have executed the call. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, code, $metadata } = error as Error & { code?: string; $metadata?: { httpStatusCode?: number } };
  return ($metadata?.httpStatusCode ?? 0) >= 500 || outages.has(name) || outages.has(code ?? '');
}
