import ipaddr from 'ipaddr.js';
import * as z from 'zod';

/* The settings that fit an installation into a company's AWS accounts (docs/platform.md). */

/** The partitions of AWS that lack what the service is built on, by the start of their regions' names. */
const otherPartitions = /^(?:cn|us-gov|us-iso[a-z]?|eu-isoe|eusc)-/;

const onlyCommercial =
  'is in GovCloud, in China or in an isolated or sovereign partition of AWS, where Holdfast does not run: it needs CloudFront in the same account';

/** Why the service can't run in a region, as the end of a sentence; undefined if it can. Pure. */
export function unsupportedRegion(region: string): string | undefined {
  return otherPartitions.test(region) ? onlyCommercial : undefined;
}

export const RegionName = z.string().superRefine((region, context) => {
  const message =
    unsupportedRegion(region) ??
    (/^[a-z]{2}(-[a-z]+)+-\d$/.test(region) ? undefined : 'must be a region, e.g. eu-central-1');
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

const topicArn = z.string().regex(/^arn:aws:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$/, {
  error: 'must be the ARN of a standard SNS topic',
});

const keyArn = z
  .string()
  .regex(/^arn:aws:kms:[a-z0-9-]+:\d{12}:key\/(?:mrk-[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/, {
    error: 'must be the ARN of a KMS key, not of an alias',
  });

/** Of the 50 tags of a resource, the service and the CDK set some themselves. */
const maximumTags = 40;

/** What all services accept that tag a resource of an installation (AWS Tagging, "Tag naming limits"). */
const tagText = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

const Tags = z.record(z.string(), z.string()).superRefine((tags, context) => {
  const keys = Object.keys(tags);
  const refuse = (message: string) => context.addIssue({ code: 'custom', message });
  if (keys.length > maximumTags) refuse(`must be at most ${maximumTags} tags`);
  for (const [key, value] of Object.entries(tags)) {
    const isTag =
      key.length > 0 && key.length <= 128 && value.length <= 256 && tagText.test(key) && tagText.test(value);
    if (!isTag) refuse(`has a tag that AWS does not accept: ${JSON.stringify(key)}`);
    if (/^aws:/i.test(key))
      refuse(`has the tag ${JSON.stringify(key)}, but only AWS may set tags that start with aws:`);
    if (/^(?:application|rollout)$/i.test(key))
      refuse(`has the tag ${JSON.stringify(key)}, which Holdfast sets itself`);
  }
  // IAM does not distinguish the case of a tag's key.
  if (new Set(keys.map(key => key.toLowerCase())).size < keys.length) refuse('has two keys that differ only in case');
});

/** Networks of the internet; CloudFront never sees any other address. */
const unroutable = new Set(['private', 'uniqueLocal', 'loopback', 'linkLocal', 'carrierGradeNat', 'unspecified']);

const Network = z.string().superRefine((text, context) => {
  const message = ipaddr.isValidCIDR(text) ? problemOf(text) : 'must be networks, e.g. 198.51.100.0/24';
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

function problemOf(text: string): string | undefined {
  const [address, length] = ipaddr.parseCIDR(text);
  if (length === 0) return 'must not name the whole internet; leave allowedNetworks out to allow it';
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  const first = family.networkAddressFromCIDR(text).toString();
  if (first !== address.toString()) return `has a network that starts elsewhere: write ${first}/${length} for ${text}`;
  return unroutable.has(address.range())
    ? `has ${text}, which is private: name the addresses that your networks have on the internet`
    : undefined;
}

export const platformSettings = {
  /** An existing topic for alarms, in the account and region of the installation, instead of one of its own. */
  alarmTopicArn: topicArn.optional(),
  /** A second topic, for the alarms that should wake somebody. They go to both. */
  pageTopicArn: topicArn.optional(),
  /** Put on every resource that can have tags. */
  tags: Tags.optional(),
  /** The ARN or name of the policy that limits every role. */
  permissionsBoundary: z
    .string()
    .regex(/^(?:arn:aws:iam::(?:\d{12}|aws):policy\/)?(?:[\w+=,.@-]+\/)*[\w+=,.@-]{1,128}$/, {
      error: 'must be the ARN or the name of an IAM policy',
    })
    .optional(),
  /** Of a bootstrap of the CDK other than the default one. */
  bootstrapQualifier: z
    .string()
    .regex(/^[a-z0-9]{1,10}$/, { error: 'must have 1 to 10 lower-case letters and digits' })
    .optional(),
  /** An existing key for the secrets, instead of one of its own. It can't be changed later. */
  keyArn: keyArn.optional(),
  /** An existing key that encrypts the log groups. */
  logKeyArn: keyArn.optional(),
  /** The only networks from which the firewall lets requests through. */
  allowedNetworks: z
    .array(Network)
    .min(1, { error: 'must name at least one network' })
    .max(1_000, { error: 'must name at most 1000 networks' })
    .optional(),
  /** Copies the audit log to a bucket of the installation, where each object is locked for so many days. */
  auditArchiveDays: z.coerce
    .number({ error: 'must be a number of days' })
    .int({ error: 'must be a whole number of days' })
    .min(1, { error: 'must be at least 1' })
    .max(36_500, { error: 'must be at most 36500' })
    .optional(),
  /** Who can delete a locked object: those with a right to bypass the lock, or nobody. */
  auditArchiveMode: z
    .enum(['governance', 'compliance'], { error: 'must be governance or compliance' })
    .default('governance'),
  /** Copies the audit log to an existing bucket instead, usually in another account. */
  auditArchiveBucket: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { error: 'must be the name of an S3 bucket' })
    .optional(),
  /** Where CloudFront serves from; a smaller class is cheaper, and farther from some users. */
  priceClass: z.enum(['100', '200', 'all'], { error: 'must be 100, 200 or all' }).default('all'),
};

interface Given {
  region?: string | undefined;
  replicaRegion?: string | undefined;
  waf: boolean;
  directOrigin: boolean;
  alarmEmail?: string | undefined;
  alarmTopicArn?: string | undefined;
  pageTopicArn?: string | undefined;
  keyArn?: string | undefined;
  logKeyArn?: string | undefined;
  allowedNetworks?: readonly string[] | undefined;
  auditArchiveDays?: number | undefined;
  auditArchiveMode: string;
  auditArchiveBucket?: string | undefined;
}

/** What is wrong with these settings together, as the end of a sentence about one of them. Pure. */
export function platformProblems(config: Given): { setting: keyof Given; problem: string }[] {
  const { region, replicaRegion, waf, alarmEmail, alarmTopicArn, keyArn, allowedNetworks, directOrigin } = config;
  const problems: { setting: keyof Given; problem: string }[] = [];
  for (const setting of ['alarmTopicArn', 'pageTopicArn', 'keyArn', 'logKeyArn'] as const) {
    const given = config[setting]?.split(':')[3];
    if (region !== undefined && given !== undefined && given !== region)
      problems.push({ setting, problem: `must be in the region of the installation, ${region}` });
  }
  if (alarmTopicArn !== undefined && alarmEmail !== undefined) {
    const problem = 'must be left out because alarmTopicArn is set: subscribe the address to that topic';
    problems.push({ setting: 'alarmEmail', problem });
  }
  if (replicaRegion !== undefined && keyArn !== undefined && !keyArn.includes(':key/mrk-'))
    problems.push({ setting: 'keyArn', problem: 'must be a multi-Region key because replicaRegion is set' });
  if (allowedNetworks !== undefined && directOrigin)
    problems.push({ setting: 'directOrigin', problem: 'must be false because allowedNetworks is set' });
  if (allowedNetworks !== undefined && !waf)
    problems.push({ setting: 'waf', problem: 'must be true because allowedNetworks is set' });
  if (config.auditArchiveBucket !== undefined && config.auditArchiveDays !== undefined) {
    const problem =
      'must be left out because auditArchiveBucket is set: its own settings say how long objects are locked';
    problems.push({ setting: 'auditArchiveDays', problem });
  }
  if (config.auditArchiveMode === 'compliance' && config.auditArchiveDays === undefined)
    problems.push({ setting: 'auditArchiveDays', problem: 'is required because auditArchiveMode is set' });
  return problems;
}
