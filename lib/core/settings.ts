import { oncePerProcess } from './process-memory.ts';

/* Plain functions instead of schemas, because building schemas would slow down every cold start. */

/** Reads a variable's text. @throws Error that says what the text must be */
type Reader<T> = (text: string | undefined) => T;

const optionalText: Reader<string | undefined> = value => (value === '' ? undefined : value);

const list: Reader<readonly string[]> = value => (value === undefined || value === '' ? [] : value.split(','));

const flag: Reader<boolean> = value => {
  const texts = { on: ['true', '1', 'on'], off: [undefined, '', 'false', '0', 'off'] };
  if (value !== undefined && texts.on.includes(value)) return true;
  if (texts.off.includes(value)) return false;
  throw new Error('must be true or false');
};

/** The same, but true if it is not set. */
const flagOn: Reader<boolean> = value => flag(value === undefined || value === '' ? 'true' : value);

function wholeNumber(otherwise: number, { least = 0, most }: { least?: number; most: number }, rule: string) {
  return (value: string | undefined): number => {
    if (value === undefined) return otherwise;
    const isNumber = /^(?:-1|\d{1,10})$/.test(value) && Number(value) >= least && Number(value) <= most;
    if (!isNumber) throw new Error(`must be a whole number${rule}`);
    return Number(value);
  };
}

/** A number of attempts; -1 disables the limit. */
const limit = (otherwise: number) => wholeNumber(otherwise, { least: -1, most: 999_999 }, ', or -1 for no limit');
const bytes = (otherwise: number) => wholeNumber(otherwise, { most: 2 ** 30 }, ' from 0 to 1 GiB');
const seconds = (otherwise: number) => wholeNumber(otherwise, { most: 86_400 }, ' from 0 to 86400');

function origin(otherwise: string): Reader<string> {
  return value => {
    const url = URL.parse(value ?? otherwise);
    if (url === null || !/^https?:$/.test(url.protocol)) throw new Error('must be an http or https address');
    return url.origin;
  };
}

function oneOf<const T extends string>(texts: readonly T[], otherwise: NoInfer<T>): Reader<T> {
  return value => {
    const text = texts.find(each => each === (value || otherwise));
    if (text === undefined) throw new Error(`must be one of ${texts.join(', ')}`);
    return text;
  };
}

export const logLevels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'SILENT'] as const;

/** The gateway's limits are many times higher (`infra/plan/config.ts`). */
export const defaultRequestsPerMinute = 6000;

/** The environment variables of a function and what they mean. All others belong to the SDK. */
const readers = {
  /** Functions without access to the table don't get its name. */
  TABLE_NAME: optionalText,
  /** Key id, ARN or alias of the KMS key that wraps the projects' data keys. */
  KMS_KEY_ID: optionalText,
  WEBHOOK_QUEUE_URL: optionalText,
  JOB_QUEUE_URL: optionalText,
  OUTBOUND_FUNCTION: optionalText,
  /** The bucket of the audit archive. */
  AUDIT_ARCHIVE_BUCKET: optionalText,
  /** Sender address of e-mails. Without it, no e-mail is sent. */
  MAIL_FROM: optionalText,
  /** Origin of the dashboard, for links in e-mails, return addresses and CORS, e.g. https://app.example.com. */
  DASHBOARD_ORIGIN: origin('http://localhost:5173'),
  /** The SSM parameter with the origin, used when CloudFront assigns the address. Takes precedence. */
  DASHBOARD_ORIGIN_PARAMETER: optionalText,
  /** CloudFront authenticates itself with these, newest first. Without any, clients call the gateway directly. */
  EDGE_SECRETS: list,
  /** Requests with a token, and exchanges for one, may also come to the gateway directly, without CloudFront. */
  DIRECT_ORIGIN: flag,
  /** Rejects changes of tenants' data, so that an operator can replace the table. */
  MAINTENANCE: flag,
  /** The region that the function runs in, which Lambda sets. */
  AWS_REGION: optionalText,
  /** The other region with a replica of the table. If set, an item in the table names the region that serves. */
  PEER_REGION: optionalText,
  FIRST_REGION: optionalText,
  /** The restored table in use, if it is not the installation's own. Sessions from before the restore have ended. */
  RESTORED_TABLE: optionalText,
  /** Whether browsers also send the session cookie with cross-site requests. */
  SESSION_COOKIE: oneOf(['same-site', 'cross-site'], 'same-site'),
  /** Allows http and loopback targets of webhooks; for development only. */
  WEBHOOK_ALLOW_LOOPBACK: flag,
  /** The name servers for TXT records of domains, as host:port; by default, the system's. */
  DNS_SERVERS: list,
  REGISTER_LIMIT_PER_HOUR: limit(20),
  LOGIN_FAILURE_LIMIT: limit(10),
  PASSWORD_RESET_LIMIT_PER_HOUR: limit(5),
  STEP_UP_FRESH_SECONDS: seconds(600),
  /** The number of organizations a user can own before creating another one is rejected. */
  ORGANIZATIONS_PER_USER: limit(20),
  /** Invitations per organization; -1 also lifts the limit on invitations per address. */
  INVITATION_LIMIT_PER_DAY: limit(100),
  REQUESTS_PER_MINUTE: limit(defaultRequestsPerMinute),
  /** Users without a verified e-mail address cannot invite others. */
  VERIFIED_EMAIL_REQUIRED: flagOn,
  /** Platform administrators need a session with a second factor of their own. */
  ADMIN_FACTOR_REQUIRED: flagOn,
  STRIPE_SECRET_KEY: optionalText,
  STRIPE_WEBHOOK_SECRET: optionalText,
  STRIPE_PRICE_PRO: optionalText,
  STRIPE_PRICE_ENTERPRISE: optionalText,
  /** Alternative address of the payment provider's API, set for the local stand-in. */
  STRIPE_API_BASE: optionalText,
  /** SSM parameters with the two provider secrets in a deployed system. */
  STRIPE_SECRET_KEY_PARAMETER: optionalText,
  STRIPE_WEBHOOK_SECRET_PARAMETER: optionalText,
  /** With a plain http base URL (the local stack), the session cookie is not `Secure`. */
  PUBLIC_BASE_URL: optionalText,
  /** The memory for encrypted snapshots of environments in each process; 0 keeps none. */
  SNAPSHOT_CACHE_BYTES: bytes(32 * 1024 * 1024),
  LOG_LEVEL: oneOf(logLevels, 'INFO'),
};

export type Settings = { [Name in keyof typeof readers]: ReturnType<(typeof readers)[Name]> };

/** The settings, read once. @throws Error that names every missing or malformed variable, without its value */
export const settings = oncePerProcess('settings', readSettings);

function readSettings(): Settings {
  const problems: string[] = [];
  const read = Object.entries(readers).map(([name, reader]) => {
    try {
      return [name, reader(process.env[name])];
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
      return [name, undefined];
    }
  });
  if (problems.length > 0) throw new Error(`The settings are not valid: ${problems.join('; ')}.`);
  return Object.fromEntries(read) as Settings;
}

/** The log level. Never throws, because invalid settings must be logged too. */
export function logLevel(): Settings['LOG_LEVEL'] {
  return logLevels.find(level => level === process.env.LOG_LEVEL) ?? 'INFO';
}

/** The version of the running function, set by Lambda. A deployment's alarm counts errors by version. */
export const functionVersion = (): string | undefined => process.env.AWS_LAMBDA_FUNCTION_VERSION;

export function requiredSetting<Name extends keyof Settings>(name: Name): NonNullable<Settings[Name]> {
  const value = settings()[name];
  if (value === undefined || value === null) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}
