import { getDomain } from 'tldts';
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

const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform(text => text === 'true')], {
  error: 'must be true or false',
});

const regionName = z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, { error: 'must be a region, e.g. eu-central-1' });

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
    mailFrom: Sender,
    /** The region of the installation; without it, the one that the credentials of the deployment are for. */
    region: regionName.optional(),
    /** Whether to create the sender's SES identity, for its domain or its address, or to use an existing one. */
    mailIdentity: z
      .enum(['domain', 'address', 'existing'], { error: 'must be domain, address or existing' })
      .default('domain'),
    /** The installation's own domain: the dashboard's and the API's. Without it the edge has an address of CloudFront. */
    domainName: z
      .string()
      .regex(/^(?=.{4,253}$)([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/, {
        error: 'must be a host name, e.g. secrets.example.com',
      })
      .optional(),
    certificateArn: z
      .string()
      .regex(/^arn:aws[a-z-]*:acm:us-east-1:\d{12}:certificate\/[0-9a-f-]+$/, {
        error: 'must be the ARN of an ACM certificate in us-east-1, where CloudFront looks for it',
      })
      .optional(),
    /** The origin of a dashboard that is served elsewhere, and not by the edge. */
    dashboardOrigin: Origin.optional(),
    /** Whether browsers send the session cookie to the API from a dashboard on another site. */
    sessionCookie: z
      .enum(['same-site', 'cross-site'], { error: 'must be same-site or cross-site' })
      .default('same-site'),
    /** Raised by one to replace the secret by which the edge proves itself. The one before stays good meanwhile. */
    edgeSecretVersion: count(1, 1_000_000).default(1),
    /** A firewall before the edge: managed rules, and a rate for each address. */
    waf: flag.default(false),
    /** Reads go on, changes get 503 and background work waits: while a restored table takes the place of another. */
    maintenance: flag.default(false),
    /** The name of a table restored from a backup, to use instead of the installation's own. */
    restoredTable: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{3,255}$/, { error: 'must be the name of a DynamoDB table' })
      .optional(),
    /** The ARN of a replica of another installation's key, to use with its table when its region is lost. */
    restoredKey: z
      .string()
      .regex(/^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/mrk-[0-9a-f]+$/, {
        error: 'must be the ARN of a multi-Region KMS key',
      })
      .optional(),
    /** The address that alarms are mailed to. */
    alarmEmail: z.email({ error: 'must be a mail address' }).optional(),
    /** A second region that holds a replica of table and key, for the loss of the first. */
    replicaRegion: regionName.optional(),
    /** A vault of AWS Backup in another account, and in another region if wanted, that gets a copy of the table each day. */
    backupVaultArn: z
      .string()
      .regex(/^arn:aws[a-z-]*:backup:[a-z0-9-]+:\d{12}:backup-vault:[A-Za-z0-9_-]{2,50}$/, {
        error: 'must be the ARN of a vault of AWS Backup',
      })
      .optional(),
    /** The repository on GitHub that deploys the installation, with its environments, e.g. `acme/holdfast:staging`. */
    deliveredBy: z
      .string()
      .regex(/^[\w.-]+\/[\w.-]+(:[\w-]+)+$/, {
        error: 'must be a repository of GitHub and its environments, e.g. acme/holdfast:production-diff:production',
      })
      .optional(),
    /** Whether X-Ray records what functions do. */
    tracing: flag.default(false),
    /** US dollars; the topic of the alarms learns when the account's month comes near. */
    monthlyBudget: count(1, 10_000_000).optional(),
    /** Instances of each gradually deployed function that are kept warm, so that none of their requests starts one. */
    provisionedConcurrency: count(1, 1_000).optional(),
    /** The SSM parameter with the account that checks the service every five minutes and after each deployment. */
    checkParameter: parameterName.optional(),
    logRetentionDays: z.coerce
      .number()
      .refine(days => retentionDays.some(kept => kept === days), {
        error: `must be one of ${retentionDays.join(', ')}`,
      })
      .default(90),
    logLevel: z
      .enum(['DEBUG', 'INFO', 'WARN', 'ERROR'], { error: 'must be DEBUG, INFO, WARN or ERROR' })
      .default('INFO'),
    /** Requests per second and at once, for each route. API Gateway refuses more with 429. */
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
    verifiedEmailRequired: flag.optional(),
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
    // The firewall of CloudFront is in us-east-1, and the CDK takes its ARN from there only between known regions.
    if (config.waf && config.region === undefined) {
      context.addIssue({ code: 'custom', path: ['region'], message: 'is needed because waf is on' });
    }
    if (config.replicaRegion !== undefined && config.region === undefined) {
      context.addIssue({ code: 'custom', path: ['region'], message: 'is needed because replicaRegion is given' });
    }
    if (config.replicaRegion !== undefined && config.replicaRegion === config.region) {
      context.addIssue({ code: 'custom', path: ['replicaRegion'], message: 'must be another region than region' });
    }
    const { dashboardOrigin, domainName, sessionCookie } = config;
    if (dashboardOrigin !== undefined && sessionCookie === 'same-site' && !isSameSite(dashboardOrigin, domainName)) {
      context.addIssue({
        code: 'custom',
        path: ['dashboardOrigin'],
        message:
          'is on another site than the API, so browsers would not send the session cookie: leave it out, because the edge serves the dashboard, or set sessionCookie to cross-site',
      });
    }
  });

export type Config = z.output<typeof Config>;

/** Whether two hosts belong to one site as browsers see it. CloudFront's own domain is a public suffix, like `co.uk`. */
function isSameSite(origin: string, domainName: string | undefined): boolean {
  if (domainName === undefined) return false;
  const siteOf = (host: string) => getDomain(host, { allowPrivateDomains: true });
  const site = siteOf(new URL(origin).hostname);
  return site !== null && site === siteOf(domainName);
}

/**
 * The dashboard's origin, where it is known before the deployment: that of a dashboard elsewhere, else the own domain.
 * Pure.
 */
export function knownDashboardOrigin({ dashboardOrigin, domainName }: Config): string | undefined {
  return dashboardOrigin ?? (domainName === undefined ? undefined : `https://${domainName}`);
}

/** The SSM parameter in which the edge's stack leaves the dashboard's origin, for functions that cannot know it. */
export function dashboardOriginParameter({ name }: Pick<Config, 'name'>): string {
  return `/${name}/dashboard-origin`;
}

/** The names of the secrets by which the edge proves itself, the one in use first. */
export function edgeSecretNames({ name, edgeSecretVersion }: Pick<Config, 'name' | 'edgeSecretVersion'>): string[] {
  return [edgeSecretVersion, edgeSecretVersion - 1]
    .filter(version => version > 0)
    .map(version => `${name}/edge-${version}`);
}

/** The names of all settings. */
export const configNames = Object.keys(Config.shape) as (keyof Config)[];

/** The settings are not valid. The message has one sentence for each wrong one. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * The settings of an installation.
 * @throws ConfigError naming every setting that is missing, malformed or unknown.
 */
export function readConfig(settings: unknown): Config {
  const result = Config.safeParse(settings);
  if (result.success) return result.data;
  const sentences = result.error.issues.flatMap(issue => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map(key => `There is no setting ${key}.`);
    const name = issue.path.join('.');
    if (name === '') return ['The settings must be a JSON object.'];
    const isMissing = (settings as Record<string, unknown>)[name] === undefined && issue.code !== 'custom';
    return [isMissing ? `The setting ${name} is missing.` : `The setting ${name} ${issue.message}.`];
  });
  throw new ConfigError(sentences.join('\n'));
}
