import { getDomain } from 'tldts';
import * as z from 'zod';
import { defaultRequestsPerMinute } from '#lib/core/settings.ts';
import { platformProblems, platformSettings, RegionName } from './platform-settings.ts';

/** The retention periods that CloudWatch Logs accepts. */
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

const tableName = z.string().regex(/^[A-Za-z0-9_.-]{3,255}$/, { error: 'must be the name of a DynamoDB table' });

const tries = count(-1, 100_000);
const parameterName = z
  .string()
  .regex(/^\/[A-Za-z0-9_.\-/]{1,500}$/, { error: 'must be the name of an SSM parameter, starting with a slash' });

/** An e-mail address, alone or as `Name <address>`. */
const Sender = z.string().transform((text, context) => {
  const address = /^[^<>]+<([^<>]+)>$/.exec(text)?.[1] ?? text;
  if (z.email().safeParse(address).success) return { text, address, domain: address.slice(address.indexOf('@') + 1) };
  context.addIssue({ code: 'custom', message: 'must be an e-mail address, or "Name <address>"' });
  return z.NEVER;
});

const Origin = z
  .string()
  .refine(text => URL.canParse(text) && text.startsWith('https://') && new URL(text).origin === text, {
    error: 'must be an https origin without a path, e.g. https://app.example.com',
  });

/** An account's quota for all its APIs (Amazon API Gateway quotas). A region's may be lower. */
const maximumThrottleRate = 10_000;
const maximumThrottleBurst = 5_000;

const Config = z
  .strictObject({
    /** Prefix of the stacks' and functions' names, so that one account can have several installations. */
    name: z
      .string()
      .regex(/^[a-z][a-z0-9-]{1,19}$/, { error: 'must have 2 to 20 lower-case letters, digits and hyphens' })
      .default('holdfast'),
    mailFrom: Sender,
    /** The region of the installation; defaults to the region of the deployment's credentials. */
    region: RegionName.optional(),
    /** Whether to create the sender's SES identity, for its domain or its address, or to use an existing one. */
    mailIdentity: z
      .enum(['domain', 'address', 'existing'], { error: 'must be domain, address or existing' })
      .default('domain'),
    /** The installation's own domain, for the dashboard and the API. Without it, CloudFront assigns an address. */
    domainName: z
      .string()
      .regex(/^(?=.{4,253}$)([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/, {
        error: 'must be a host name, e.g. secrets.example.com',
      })
      .optional(),
    certificateArn: z
      .string()
      .regex(/^arn:aws:acm:us-east-1:\d{12}:certificate\/[0-9a-f-]+$/, {
        error: 'must be the ARN of an ACM certificate in us-east-1, the only region CloudFront accepts',
      })
      .optional(),
    /** The origin of a dashboard that is served elsewhere instead of by CloudFront. */
    dashboardOrigin: Origin.optional(),
    /** Whether browsers send the session cookie to the API from a dashboard on another site. */
    sessionCookie: z
      .enum(['same-site', 'cross-site'], { error: 'must be same-site or cross-site' })
      .default('same-site'),
    /**
     * Raise it by one to replace the secret that CloudFront authenticates itself with. The previous one stays valid in
     * the meantime.
     */
    edgeSecretVersion: count(1, 1_000_000).default(1),
    /** Serves requests with a token at the gateway's own address too, which costs less than through CloudFront. */
    directOrigin: flag.default(false),
    /** A firewall in front of CloudFront: managed rules, and a rate limit per address. */
    waf: flag.default(false),
    /** Changes of tenants' data get 503 and background work waits, while a restored table replaces another. */
    maintenance: flag.default(false),
    /** The name of a table restored from a backup, to use instead of the installation's own. */
    restoredTable: tableName.optional(),
    /** The name of another region's table, to use its replica instead of an own table. Sessions continue there. */
    sharedTable: tableName.optional(),
    /** The ARN of a replica of another installation's key, to use with its table after its region is lost. */
    restoredKey: z
      .string()
      .regex(/^arn:aws:kms:[a-z0-9-]+:\d{12}:key\/mrk-[0-9a-f]+$/, {
        error: 'must be the ARN of a multi-Region KMS key',
      })
      .optional(),
    /** The address that receives alarms. */
    alarmEmail: z.email({ error: 'must be an e-mail address' }).optional(),
    /** A second region with a replica of table and key, in case the first one is lost. */
    replicaRegion: RegionName.optional(),
    /**
     * The other region with a replica of the table; defaults to `replicaRegion`. Functions look there whether it has taken
     * over the service.
     */
    peerRegion: RegionName.optional(),
    /** Waits beside another installation: its distribution has the domain's certificate, but leaves the domain there. */
    standby: flag.default(false),
    /** An AWS Backup vault in another account (and optionally another region) that gets a daily copy of the table. */
    backupVaultArn: z
      .string()
      .regex(/^arn:aws:backup:[a-z0-9-]+:\d{12}:backup-vault:[A-Za-z0-9_-]{2,50}$/, {
        error: 'must be the ARN of an AWS Backup vault',
      })
      .optional(),
    /** The GitHub repository that deploys the installation, with its environments, e.g. `acme/holdfast:staging`. */
    deliveredBy: z
      .string()
      .regex(/^[\w.-]+\/[\w.-]+(:[\w-]+)+$/, {
        error: 'must be a GitHub repository and its environments, e.g. acme/holdfast:production-diff:production',
      })
      .optional(),
    /** Whether to create the account's identity provider for GitHub, or to use an existing one. */
    githubProvider: z.enum(['create', 'existing'], { error: 'must be create or existing' }).default('create'),
    /** Whether X-Ray traces the functions. */
    tracing: flag.default(false),
    /** US dollars; the alarm topic is notified when the account's month approaches this amount. */
    monthlyBudget: count(1, 10_000_000).optional(),
    /**
     * Read and write units a second that the table serves at once, without growing first (DynamoDB's warm throughput).
     * They can't be less than a new table's, and DynamoDB never lowers them again. Replicas get the same.
     */
    warmThroughputReads: count(12_000, 10_000_000).optional(),
    warmThroughputWrites: count(4_000, 10_000_000).optional(),
    /** Provisioned instances of each gradually deployed function, to avoid cold starts. */
    provisionedConcurrency: count(1, 1_000).optional(),
    /**
     * How often each function that may take many seconds runs at once. Lambda reserves as much for it, which an account
     * with the initial quota of ten can't: there it must be 0, which reserves nothing.
     */
    longConcurrency: count(0, 1_000).default(50),
    /** The SSM parameter with the account that checks the service every five minutes and after each deployment. */
    checkParameter: parameterName.optional(),
    logRetentionDays: z.coerce
      .number()
      .refine(days => retentionDays.some(kept => kept === days), {
        error: `must be one of ${retentionDays.join(', ')}`,
      })
      .default(90),
    /** At most WARN: refusals under maintenance are logged at that level, and the alarms subtract them. */
    logLevel: z.enum(['DEBUG', 'INFO', 'WARN'], { error: 'must be DEBUG, INFO or WARN' }).default('INFO'),
    /**
     * Requests per second and burst, for each route and all callers together. API Gateway rejects more with 429, before
     * any organization's share is counted. The default follows from that share.
     */
    throttleRate: count(1, maximumThrottleRate).optional(),
    throttleBurst: count(1, maximumThrottleBurst).optional(),
    /**
     * The same for each route that hashes a password, which takes half a second of CPU. What is over the bounds of an
     * address or account is not hashed.
     */
    passwordThrottleRate: count(1, maximumThrottleRate).default(200),
    passwordThrottleBurst: count(1, maximumThrottleBurst).default(400),
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
    /** The memory in which a function keeps the environments it read last. Functions have at least 512 MB. */
    snapshotCacheBytes: count(0, 128 * 1024 * 1024).optional(),
    verifiedEmailRequired: flag.optional(),
    ...platformSettings,
  })
  .superRefine((config, context) => {
    const together = (names: readonly (keyof typeof config)[]) => {
      const missing = names.filter(name => config[name] === undefined);
      if (missing.length === 0 || missing.length === names.length) return;
      for (const name of missing) {
        const others = names.filter(other => config[other] !== undefined).join(' and ');
        context.addIssue({ code: 'custom', path: [name], message: `is required because ${others} is set` });
      }
    };
    together(['domainName', 'certificateArn']);
    together(['stripeSecretKeyParameter', 'stripeWebhookSecretParameter']);
    // CloudFront's firewall is in us-east-1, and the CDK can only pass its ARN between known regions.
    if (config.waf && config.region === undefined) {
      context.addIssue({ code: 'custom', path: ['region'], message: 'is required because waf is on' });
    }
    if (config.replicaRegion !== undefined && config.region === undefined) {
      context.addIssue({ code: 'custom', path: ['region'], message: 'is required because replicaRegion is set' });
    }
    if (config.replicaRegion !== undefined && config.replicaRegion === config.region) {
      context.addIssue({ code: 'custom', path: ['replicaRegion'], message: 'must be another region than region' });
    }
    if (config.peerRegion !== undefined && config.region === undefined) {
      context.addIssue({ code: 'custom', path: ['region'], message: 'is required because peerRegion is set' });
    }
    if (config.peerRegion !== undefined && config.peerRegion === config.region) {
      context.addIssue({ code: 'custom', path: ['peerRegion'], message: 'must be another region than region' });
    }
    if (![undefined, config.replicaRegion ?? config.peerRegion].includes(config.peerRegion)) {
      context.addIssue({ code: 'custom', path: ['peerRegion'], message: 'must be the same region as replicaRegion' });
    }
    if (config.sharedTable !== undefined && config.restoredTable !== undefined) {
      context.addIssue({
        code: 'custom',
        path: ['sharedTable'],
        message: 'must be left out because restoredTable is set',
      });
    }
    for (const { setting, problem } of platformProblems(config)) {
      context.addIssue({ code: 'custom', path: [setting], message: problem });
    }
    // Otherwise the pipeline would take a deployment for good that nothing has checked, and go on to production.
    if (config.deliveredBy !== undefined && config.checkParameter === undefined) {
      context.addIssue({ code: 'custom', path: ['checkParameter'], message: 'is required because deliveredBy is set' });
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

type Read = z.output<typeof Config>;
export type Config = Omit<Read, 'throttleRate' | 'throttleBurst'> & { throttleRate: number; throttleBurst: number };

/** How many organizations can use up their shares at once before the gateway refuses requests of the others. */
const sharesAtOnce = 10;

/** Pure. */
function withThrottle(config: Read): Config {
  const perMinute = Math.max(config.requestsPerMinute ?? 0, defaultRequestsPerMinute);
  const rate = Math.min(maximumThrottleRate, Math.ceil((sharesAtOnce * perMinute) / 60));
  const { throttleRate = rate, throttleBurst = Math.min(maximumThrottleBurst, 2 * throttleRate) } = config;
  return { ...config, throttleRate, throttleBurst };
}

/** Whether two hosts belong to the same site in browsers. CloudFront's own domain is a public suffix, like `co.uk`. */
function isSameSite(origin: string, domainName: string | undefined): boolean {
  if (domainName === undefined) return false;
  const siteOf = (host: string) => getDomain(host, { allowPrivateDomains: true });
  const site = siteOf(new URL(origin).hostname);
  return site !== null && site === siteOf(domainName);
}

/**
 * The dashboard's origin if it is known before the deployment: the origin of a dashboard elsewhere, or the
 * installation's own domain. Pure.
 */
export function knownDashboardOrigin({ dashboardOrigin, domainName }: Config): string | undefined {
  return dashboardOrigin ?? (domainName === undefined ? undefined : `https://${domainName}`);
}

/** The name of the table in use, if it is not the installation's own. Pure. */
export function otherTable({ restoredTable, sharedTable }: Pick<Config, 'restoredTable' | 'sharedTable'>) {
  return restoredTable ?? sharedTable;
}

/** The regions of a table with replicas, as its functions know them; undefined if it has none. Pure. */
export function regionsOf({
  region,
  replicaRegion,
  peerRegion = replicaRegion,
  restoredKey,
}: Config): { own: string; peer: string; first: string } | undefined {
  if (region === undefined || peerRegion === undefined) return undefined;
  // The key is a replica of the other installation's, which came first.
  return { own: region, peer: peerRegion, first: restoredKey === undefined ? region : peerRegion };
}

/**
 * The SSM parameter where the edge stack stores the dashboard's origin, for functions that can't know it in advance.
 */
export function dashboardOriginParameter({ name }: Pick<Config, 'name'>): string {
  return `/${name}/dashboard-origin`;
}

/** The names of the secrets that CloudFront authenticates itself with, the current one first. */
export function edgeSecretNames({ name, edgeSecretVersion }: Pick<Config, 'name' | 'edgeSecretVersion'>): string[] {
  return [edgeSecretVersion, edgeSecretVersion - 1]
    .filter(version => version > 0)
    .map(version => `${name}/edge-${version}`);
}

/**
 * The secrets that exist: also the one from before the last change, because a deployment that fails after deleting it
 * would resolve it while it rolls back.
 */
export function keptEdgeSecretNames(config: Pick<Config, 'name' | 'edgeSecretVersion'>): string[] {
  const { name, edgeSecretVersion: version } = config;
  return [...edgeSecretNames(config), ...(version > 2 ? [`${name}/edge-${version - 2}`] : [])];
}

/** The names of all settings. */
export const configNames = Object.keys(Config.shape) as (keyof Config)[];

/** The settings are not valid. The message has one sentence per problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * The settings of an installation.
 * @throws ConfigError that names every missing, malformed or unknown setting
 */
export function readConfig(settings: unknown): Config {
  const result = Config.safeParse(settings);
  if (result.success) return withThrottle(result.data);
  const sentences = result.error.issues.flatMap(issue => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map(key => `There is no setting ${key}.`);
    const name = String(issue.path[0] ?? '');
    if (name === '') return ['The settings must be a JSON object.'];
    const isMissing = (settings as Record<string, unknown>)[name] === undefined && issue.code !== 'custom';
    return [isMissing ? `The setting ${name} is missing.` : `The setting ${name} ${issue.message}.`];
  });
  throw new ConfigError(sentences.join('\n'));
}
