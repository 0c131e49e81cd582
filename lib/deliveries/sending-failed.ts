/** A delivery was not made or got no response. The message is the plain-language reason shown in the log entry. */
export class SendingFailed extends Error {
  override readonly name = 'SendingFailed';
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before the response was complete',
  EPIPE: 'the connection was closed before the response was complete',
  UND_ERR_SOCKET: 'the connection was closed before the response was complete',
  ETIMEDOUT: 'the connection could not be opened in time',
  EHOSTUNREACH: 'the address cannot be reached',
  ENETUNREACH: 'the address cannot be reached',
  EADDRNOTAVAIL: 'the address cannot be reached',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too long',
  UND_ERR_INVALID_ARG: 'requests cannot be sent to this URL',
};

/** What went wrong, as a plain-language reason that contains none of the response. Pure. */
export function failureReason(error: unknown): string {
  if (error instanceof SendingFailed) return error.message;
  // If several addresses were tried, each has its own error.
  const single = error instanceof AggregateError ? error.errors[0] : error;
  const { name, code, cause } = single as { name?: unknown; code?: unknown; cause?: unknown };
  if (name === 'HTTPParserError') return 'the response is not HTTP';
  if (typeof code !== 'string') return cause === undefined ? 'the exchange failed' : failureReason(cause);
  const known = reasons[code];
  if (known !== undefined) return known;
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return `the TLS handshake failed (${code})`;
  if (/CERT|SIGNATURE|ISSUER|ALTNAME/.test(code)) return `the certificate is not valid (${code})`;
  return `the exchange failed (${code})`;
}
