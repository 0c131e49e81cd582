import { redact } from './redact.ts';
import { functionVersion, logLevel, logLevels } from './settings.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Log {
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, error: unknown, fields?: Fields): void;
  /** An account event (`logged_in`, `login_failed`, `password_changed` …), for security monitoring. */
  account(event: string, fields: Fields): void;
}

/** Writes one line of JSON straight to stdout, because Lambda's `console` would wrap it in its own format. */
function write(level: (typeof logLevels)[number], message: string, fields: Fields): void {
  if (logLevels.indexOf(level) < logLevels.indexOf(logLevel())) return;
  const common = { level, message, timestamp: new Date().toISOString(), service: 'holdfast' };
  const line = { ...common, version: functionVersion(), ...fields };
  process.stdout.write(`${JSON.stringify(redact(line))}\n`);
}

/** Opens the log of one request or one background step; every line includes the `persistent` fields. */
export function openLog(persistent: Fields): Log {
  return {
    info: (message, fields) => write('INFO', message, { ...persistent, ...fields }),
    warn: (message, fields) => write('WARN', message, { ...persistent, ...fields }),
    error: (message, cause, fields) => {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      write('ERROR', message, { ...persistent, ...fields, error });
    },
    account: (event, fields) => write('INFO', 'account event', { ...persistent, accountEvent: event, ...fields }),
  };
}
