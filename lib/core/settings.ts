import * as z from 'zod';

const flag = z
  .enum(['true', 'false', '1', '0', 'on', 'off', ''])
  .transform(value => ['true', '1', 'on'].includes(value));

/** A limit of tries; -1 switches it off. */
const limit = z
  .string()
  .regex(/^(-1|\d{1,6})$/, { message: 'must be a whole number, or -1 for no limit' })
  .transform(Number);

const optionalText = z
  .string()
  .transform(value => (value === '' ? undefined : value))
  .optional();

/** The environment variables of a function, each with its meaning. Everything else of the environment is the SDK's. */
const Environment = z.object({
  TABLE_NAME: z.string().min(3),
  /** Key id, ARN or alias of the KMS key that wraps the projects' data keys. */
  KMS_KEY_ID: optionalText,
  WEBHOOK_QUEUE_URL: optionalText,
  JOB_QUEUE_URL: optionalText,
  /** Sender address of mails; without it the functions that send mail refuse to start sending. */
  MAIL_FROM: optionalText,
  /** Origin of the dashboard, for links in mails, return addresses and CORS, e.g. https://app.example.com. */
  DASHBOARD_ORIGIN: z
    .url({ protocol: /^https?$/ })
    .transform(url => new URL(url).origin)
    .default('http://localhost:5173'),
  /** Allows http and loopback targets of webhooks; for development only. */
  WEBHOOK_ALLOW_LOOPBACK: flag.default(false),
  REGISTER_LIMIT_PER_HOUR: limit.default(20),
  LOGIN_FAILURE_LIMIT: limit.default(10),
  PASSWORD_RESET_LIMIT_PER_HOUR: limit.default(5),
  /** Organizations that a user may own before making another. */
  ORGANIZATIONS_PER_USER: limit.default(20),
  /** Invitations of an organization; -1 also lifts the bound on those that one address gets. */
  INVITATION_LIMIT_PER_DAY: limit.default(100),
  /** An organization's fair share of requests. */
  REQUESTS_PER_MINUTE: limit.default(6000),
  /** Who has not verified an e-mail address can't invite. */
  VERIFIED_EMAIL_REQUIRED: flag.default(true),
  STRIPE_SECRET_KEY: optionalText,
  STRIPE_WEBHOOK_SECRET: optionalText,
  STRIPE_PRICE_PRO: optionalText,
  STRIPE_PRICE_ENTERPRISE: optionalText,
  /** Another address of the payment provider's API; the local stand-in sets it. */
  STRIPE_API_BASE: optionalText,
  /** SSM parameters that hold the two provider secrets in a deployed system. */
  STRIPE_SECRET_KEY_PARAMETER: optionalText,
  STRIPE_WEBHOOK_SECRET_PARAMETER: optionalText,
  /** Plain-http base addresses (the local stack) make the session cookie non-Secure. */
  PUBLIC_BASE_URL: optionalText,
  LOG_LEVEL: z.enum(['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'SILENT']).default('INFO'),
});

export type Settings = z.output<typeof Environment>;

let parsed: Settings | undefined;

/**
 * The settings, parsed once per process. This is the only place that reads the environment.
 * @throws Error naming every variable that is missing or malformed, without its value.
 */
export function settings(): Settings {
  if (parsed === undefined) {
    const result = Environment.safeParse(process.env);
    if (!result.success) {
      const problems = result.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`);
      throw new Error(`The settings are not valid: ${problems.join('; ')}.`);
    }
    parsed = result.data;
  }
  return parsed;
}

/** The log level. Never throws: what is wrong with the settings has to be logged somehow. */
export function logLevel(): Settings['LOG_LEVEL'] {
  const level = Environment.shape.LOG_LEVEL.safeParse(process.env.LOG_LEVEL);
  return level.success ? level.data : 'INFO';
}

/** A setting that this function cannot do without. */
export function requiredSetting<Name extends keyof Settings>(name: Name): NonNullable<Settings[Name]> {
  const value = settings()[name];
  if (value === undefined || value === null) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}

/** Reads the environment again at the next use; for tests that change it. */
export function forgetSettings(): void {
  parsed = undefined;
}
