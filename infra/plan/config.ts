import * as z from 'zod';

/** CloudWatch keeps logs only for these numbers of days. */
const retentionDays = [30, 60, 90, 120, 150, 180, 365, 400, 545, 731] as const;

const count = (from: number, to: number) =>
  z.coerce
    .number({ error: `must be a number from ${from} to ${to}` })
    .int({ error: 'must be a whole number' })
    .min(from, {
      error: `must be at least ${from}`,
    })
    .max(to, { error: `must be at most ${to}` });

const tries = count(-1, 100_000);
const parameterName = z
  .string()
  .regex(/^\/[A-Za-z0-9_.\-/]{1,500}$/, { error: 'must be the name of an SSM parameter, starting with a slash' });

/** A mail address, alone or as `Name <address>`. */
const Sender = z.string().transform((text, context) => {
  const address = /^[^<>]+<([^<>]+)>$/.exec(text)?.[1] ?? text;
  if (z.email().safeParse(address).success) return { text, address, domain: address.slice(address.indexOf('@') + 1) };
  context.addIssue({ code: 'custom', message: 'must be a mail address, or "Name <address>"' });
  return z.NEVER;
});

const Origin = z
  .string()
  .refine(text => URL.canParse(text) && text.startsWith('https://') && new URL(text).origin === text, {
    error: 'must be an https origin without a path, e.g. https://app.example.com',
  });

const Config = z
  .strictObject({
    /** Names the stacks and functions, so that several installations fit into one account. */
    name: z
      .string()
      .regex(/^[a-z][a-z0-9-]{1,19}$/, { error: 'must have 2 to 20 lower-case letters, digits and hyphens' })
      .default('holdfast'),
    /** Origin of the dashboard, for CORS, links in mails and return addresses of the payment provider. */
    dashboardOrigin: Origin,
    mailFrom: Sender,
    /** Whether to create the sender's SES identity, for its domain or its address, or to use an existing one. */
    mailIdentity: z
      .enum(['domain', 'address', 'existing'], { error: 'must be domain, address or existing' })
      .default('domain'),
    domainName: z
      .string()
      .regex(/^(?=.{4,253}$)([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/, {
        error: 'must be a host name, e.g. api.example.com',
      })
      .optional(),
    certificateArn: z
      .string()
      .regex(/^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[0-9a-f-]+$/, {
        error: 'must be the ARN of an ACM certificate',
      })
      .optional(),
    /** The name of a table restored from a backup, to use instead of the installation's own. */
    restoredTable: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{3,255}$/, { error: 'must be the name of a DynamoDB table' })
      .optional(),
    /** The address that alarms are mailed to. */
    alarmEmail: z.email({ error: 'must be a mail address' }).optional(),
    logRetentionDays: z.coerce
      .number()
      .refine(days => retentionDays.some(kept => kept === days), {
        error: `must be one of ${retentionDays.join(', ')}`,
      })
      .default(90),
    logLevel: z
      .enum(['DEBUG', 'INFO', 'WARN', 'ERROR'], { error: 'must be DEBUG, INFO, WARN or ERROR' })
      .default('INFO'),
    /** Requests per second and at once, over all routes. API Gateway refuses more with 429. */
    throttleRate: count(1, 10_000).default(200),
    throttleBurst: count(1, 5_000).default(400),
    /** The same for each route that hashes a password, which takes half a second of CPU. */
    passwordThrottleRate: count(1, 10_000).default(20),
    passwordThrottleBurst: count(1, 5_000).default(40),
    stripeSecretKeyParameter: parameterName.optional(),
    stripeWebhookSecretParameter: parameterName.optional(),
    stripePricePro: z.string().min(1, { error: 'must not be empty' }).optional(),
    stripePriceEnterprise: z.string().min(1, { error: 'must not be empty' }).optional(),
    registerLimitPerHour: tries.optional(),
    loginFailureLimit: tries.optional(),
    passwordResetLimitPerHour: tries.optional(),
    stepUpFreshSeconds: count(0, 86_400).optional(),
    organizationsPerUser: tries.optional(),
    invitationLimitPerDay: tries.optional(),
    requestsPerMinute: tries.optional(),
    verifiedEmailRequired: z
      .union([z.boolean(), z.enum(['true', 'false']).transform(text => text === 'true')], {
        error: 'must be true or false',
      })
      .optional(),
  })
  .superRefine((config, context) => {
    const together = (names: readonly (keyof typeof config)[]) => {
      const missing = names.filter(name => config[name] === undefined);
      if (missing.length === 0 || missing.length === names.length) return;
      for (const name of missing) {
        const others = names.filter(other => config[other] !== undefined).join(' and ');
        context.addIssue({ code: 'custom', path: [name], message: `is needed because ${others} is given` });
      }
    };
    together(['domainName', 'certificateArn']);
    together(['stripeSecretKeyParameter', 'stripeWebhookSecretParameter']);
  });

export type Config = z.output<typeof Config>;

/** The names of all settings. */
export const configNames = Object.keys(Config.shape) as (keyof Config)[];

/** The settings are not valid. The message has one sentence for each wrong one. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * The settings of an installation: the object `holdfast` of the CDK context (`cdk.json`). `-c <setting>=<value>` wins
 * over it.
 * @throws ConfigError naming every setting that is missing, malformed or unknown.
 */
export function readConfig(contextValue: (name: string) => unknown): Config {
  const given = Object.fromEntries(
    configNames.flatMap(name => {
      const value = contextValue(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const result = Config.safeParse({ ...(contextValue('holdfast') as object | undefined), ...given });
  if (result.success) return result.data;
  const sentences = result.error.issues.flatMap(issue => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map(key => `There is no setting ${key}.`);
    const name = issue.path.join('.');
    const value = given[name] ?? (contextValue('holdfast') as Record<string, unknown> | undefined)?.[name];
    if (value === undefined && issue.code !== 'custom') return [`The setting ${name} is missing.`];
    return [`The setting ${name} ${issue.message}.`];
  });
  throw new ConfigError(sentences.join('\n'));
}
