import { Logger } from '@aws-lambda-powertools/logger';
import { logLevel } from './settings.ts';

/** Member names whose content never reaches the log, whoever passes it by mistake. */
const secretNames = new Set(
  [
    'authorization',
    'body',
    'code',
    'codeChallenge',
    'codeVerifier',
    'cookie',
    'cookies',
    'currentPassword',
    'dotenv',
    'newPassword',
    'password',
    'passwordHash',
    'plain',
    'sealed',
    'secret',
    'secrets',
    'set-cookie',
    'signature',
    'signingSecret',
    'stripe-signature',
    'token',
    'value',
    'values',
    'wrapped',
    'wrappedKeys',
  ].map(name => name.toLowerCase()),
);

/** Our own and the provider's credentials, wherever they stand in a text. */
const credentialPattern = /(?:service_tok_|whsec_|sk_live_|sk_test_|rk_live_|rk_test_)[A-Za-z0-9_-]+/g;

/** A replacer for JSON.stringify that takes out everything secret by its name or by its form. */
export function redact(name: string, content: unknown): unknown {
  if (secretNames.has(name.toLowerCase()) && content !== null && content !== undefined) return '[redacted]';
  if (content instanceof Uint8Array) return `[${content.length} bytes]`;
  if (typeof content === 'string') return content.replace(credentialPattern, '[redacted]');
  return content;
}

let logger: Logger | undefined;

function rootLogger(): Logger {
  logger ??= new Logger({ serviceName: 'holdfast', logLevel: logLevel(), jsonReplacerFn: redact });
  return logger;
}

type Fields = Readonly<Record<string, unknown>>;

/** A request's log: every line carries the request id. */
export interface Log {
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, error: unknown, fields?: Fields): void;
  /** Something that happened to an account (`logged_in`, `login_failed`, `password_changed` …), for security monitoring. */
  account(event: string, fields: Fields): void;
}

/** The log of one request or one background step. Several may be open in one process, so nothing is kept in the logger. */
export function openLog(persistent: Fields): Log {
  const line = (fields: Fields) => ({ ...persistent, ...fields });
  return {
    info: (message, fields = {}) => rootLogger().info(message, line(fields)),
    warn: (message, fields = {}) => rootLogger().warn(message, line(fields)),
    error: (message, error, fields = {}) =>
      rootLogger().error(
        message,
        line({ ...fields, error: error instanceof Error ? error : new Error(String(error)) }),
      ),
    account: (event, fields) => rootLogger().info('account event', line({ accountEvent: event, ...fields })),
  };
}
