/* Plain functions rather than schemas, because building schemas would slow down every cold start. */

/** Reads the text of a variable. @throws Error saying what the text must be */
type Reader<T> = (text: string | undefined) => T;

const text: Reader<string> = value => {
  if (value === undefined || value === '') throw new Error('is required');
  return value;
};

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

/** A number of tries; -1 switches the limit off. */
function limit(otherwise: number): Reader<number> {
  return value => {
    if (value === undefined) return otherwise;
    if (!/^(-1|\d{1,6})$/.test(value)) throw new Error('must be a whole number, or -1 for no limit');
    return Number(value);
  };
}

/** A number of seconds up to a day. */
function seconds(otherwise: number): Reader<number> {
  return value => {
    if (value === undefined) return otherwise;
    if (!/^\d{1,5}$/.test(value) || Number(value) > 86_400) throw new Error('must be a whole number from 0 to 86400');
    return Number(value);
  };
}

/** The origin of an http or https address. */
function origin(otherwise: string): Reader<string> {
  return value => {
    const url = URL.parse(value ?? otherwise);
    if (url === null || !/^https?:$/.test(url.protocol)) throw new Error('must be an http or https address');
    return url.origin;
  };
}

const sessionCookies = ['same-site', 'cross-site'] as const;

const sessionCookie: Reader<(typeof sessionCookies)[number]> = value => {
  const found = sessionCookies.find(one => one === (value || 'same-site'));
  if (found === undefined) throw new Error(`must be one of ${sessionCookies.join(', ')}`);
  return found;
};

const logLevels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'SILENT'] as const;

const level: Reader<(typeof logLevels)[number]> = value => {
  const found = logLevels.find(one => one === (value ?? 'INFO'));
  if (found === undefined) throw new Error(`must be one of ${logLevels.join(', ')}`);
  return found;
};

/** The environment variables of a function, each with its meaning. All others belong to the SDK. */
const readers = {
  TABLE_NAME: text,
  /** Key id, ARN or alias of the KMS key that wraps the projects' data keys. */
  KMS_KEY_ID: optionalText,
  WEBHOOK_QUEUE_URL: optionalText,
  JOB_QUEUE_URL: optionalText,
  /** Sender address of mails; without it no mail is sent. */
  MAIL_FROM: optionalText,
  /** Origin of the dashboard, for links in mails, return addresses and CORS, e.g. https://app.example.com. */
  DASHBOARD_ORIGIN: origin('http://localhost:5173'),
  /** The SSM parameter that holds it, where the edge makes the address; it wins. */
  DASHBOARD_ORIGIN_PARAMETER: optionalText,
  /** The secrets that the edge proves itself with, the newest first. Without one, requests come straight to the gateway. */
  EDGE_SECRETS: list,
  /** Only what reads is served, so that an operator can put another table in the place of this one. */
  MAINTENANCE: flag,
  /** Whether browsers send the session cookie from another site as well. */
  SESSION_COOKIE: sessionCookie,
  /** Allows http and loopback targets of webhooks; for development only. */
  WEBHOOK_ALLOW_LOOPBACK: flag,
  REGISTER_LIMIT_PER_HOUR: limit(20),
  LOGIN_FAILURE_LIMIT: limit(10),
  PASSWORD_RESET_LIMIT_PER_HOUR: limit(5),
  /** How long a session counts as fresh after it proved itself. */
  STEP_UP_FRESH_SECONDS: seconds(600),
  /** Organizations that a user can own before making another. */
  ORGANIZATIONS_PER_USER: limit(20),
  /** Invitations of an organization; -1 also lifts the limit on those that one address gets. */
  INVITATION_LIMIT_PER_DAY: limit(100),
  /** An organization's fair share of requests. */
  REQUESTS_PER_MINUTE: limit(6000),
  /** A user without a verified e-mail address cannot invite. */
  VERIFIED_EMAIL_REQUIRED: flagOn,
  STRIPE_SECRET_KEY: optionalText,
  STRIPE_WEBHOOK_SECRET: optionalText,
  STRIPE_PRICE_PRO: optionalText,
  STRIPE_PRICE_ENTERPRISE: optionalText,
  /** Another address of the payment provider's API, set for the local stand-in. */
  STRIPE_API_BASE: optionalText,
  /** SSM parameters that hold the two provider secrets in a deployed system. */
  STRIPE_SECRET_KEY_PARAMETER: optionalText,
  STRIPE_WEBHOOK_SECRET_PARAMETER: optionalText,
  /** A base address with plain http (the local stack) makes the session cookie non-Secure. */
  PUBLIC_BASE_URL: optionalText,
  LOG_LEVEL: level,
};

export type Settings = { [Name in keyof typeof readers]: ReturnType<(typeof readers)[Name]> };

let known: Settings | undefined;

/**
 * The settings, read once per process. This is the only place that reads the environment.
 * @throws Error naming every variable that is missing or malformed, without its value.
 */
export function settings(): Settings {
  known ??= readSettings();
  return known;
}

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

/** The log level. Never throws, because invalid settings have to be logged as well. */
export function logLevel(): Settings['LOG_LEVEL'] {
  return logLevels.find(one => one === process.env.LOG_LEVEL) ?? 'INFO';
}

/** A setting that this function cannot do without. */
export function requiredSetting<Name extends keyof Settings>(name: Name): NonNullable<Settings[Name]> {
  const value = settings()[name];
  if (value === undefined || value === null) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}

/** Reads the environment again at the next use; for tests that change it. */
export function forgetSettings(): void {
  known = undefined;
}
