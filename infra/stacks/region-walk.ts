import { newestEpoch, newestRegion } from '#lib/table/serving-region.ts';
import { type ServiceVersion, trafficDuring, unfencedFunctions } from './deployment-traffic.ts';
import type { Templates } from './synthesize.ts';
import { harmsOf } from './template-changes.ts';

/** A step of docs/runbooks/region-loss.md: something that happens to a region, or that an operator does. */
export type Step =
  | { lose: string }
  | { return: string }
  /** `npm run operate -- move-service`; the other region takes part unless it is lost. */
  | { move: string }
  /** `aws cloudfront associate-alias` */
  | { moveDomain: string }
  | { deploy: string; version: ServiceVersion };

/** How things are after a step. */
export interface Situation {
  /** The regions whose functions serve, by what each reads from the replicas that it can reach. */
  serving: string[];
  /** The region whose distribution has the domain. */
  domain: string;
  /** What went wrong on the way, one sentence each. */
  failures: string[];
}

/**
 * Walks through the steps with what runs in both regions. Replicas copy the item that names the serving region only after
 * a step, so a region that returns is first looked at with what it knew before. Pure.
 * @param start what runs in each region, by its name; the first one serves and has the domain
 */
export function walkRegions(start: Readonly<Record<string, ServiceVersion>>, steps: readonly Step[]): Situation[] {
  const running = new Map(Object.entries(start));
  const [first = '', second = ''] = running.keys();
  const items = new Map<string, { region: string | null; epoch: number; changedAt: string }>();
  const lost = new Set<string>();
  let domain = first;

  const peerOf = (region: string) => (region === first ? second : first);
  const isReached = (region: string) => !lost.has(region);
  const serves = (region: string) => {
    const read = [region, peerOf(region)].filter(isReached).map(replica => items.get(replica));
    return isReached(region) && newestRegion(read, first) === region;
  };
  const servingNow = () => [first, second].filter(serves);
  const templatesIn = (region: string) => running.get(region)?.templates ?? new Map();
  const put = (replica: string, region: string | null) => {
    const read = [first, second].filter(isReached).map(one => items.get(one));
    items.set(replica, { region, epoch: newestEpoch(read) + 1, changedAt: '' });
  };
  const copyItems = () => {
    if (lost.size > 0) return;
    const newest = [...items.values()].find(({ epoch }) => epoch === newestEpoch([...items.values()]));
    if (newest !== undefined) for (const region of [first, second]) items.set(region, newest);
  };

  const take = (step: Step): string[] => {
    if ('lose' in step) {
      lost.add(step.lose);
      return [];
    }
    if ('return' in step) {
      lost.delete(step.return);
      return [];
    }
    if ('move' in step) {
      put(isReached(peerOf(step.move)) ? peerOf(step.move) : step.move, null);
      const meanwhile = servingNow().map(region => `${region} still serves while the service moves.`);
      put(step.move, step.move);
      return meanwhile;
    }
    if ('moveDomain' in step) {
      domain = step.moveDomain;
      if (distributionOf(templatesIn(domain)).hasCertificate) return [];
      return [`The distribution in ${domain} has no certificate for the domain.`];
    }
    const { deploy: region, version } = step;
    const before = running.get(region) ?? version;
    running.set(region, version);
    const { hasDomain } = distributionOf(version.templates);
    return [
      ...(isReached(region) ? [] : [`${region} is lost, so nothing can be deployed there.`]),
      ...(hasDomain && domain !== region
        ? [`The domain is on the distribution in ${domain}: CNAMEAlreadyExists.`]
        : []),
      ...(!hasDomain && domain === region ? ['No distribution has the domain any more.'] : []),
      ...harmsOf(before.templates, version.templates),
      ...trafficDuring(before, version).failures,
    ];
  };

  return steps.map(step => {
    const failures = take(step);
    const serving = servingNow();
    if (serving.length > 1) failures.push('Both regions serve.');
    const [one, other] = [first, second].map(name => ({ name, templates: templatesIn(name) }));
    if (one !== undefined && other !== undefined) failures.push(...unfencedFunctions(one, other));
    copyItems();
    return { serving, domain, failures };
  });
}

function distributionOf(templates: Templates): { hasDomain: boolean; hasCertificate: boolean } {
  const configs = [...templates.values()].flatMap(({ Resources: resources }) =>
    Object.values(resources)
      .filter(({ Type }) => Type === 'AWS::CloudFront::Distribution')
      .map(({ Properties }) => Properties.DistributionConfig),
  );
  return {
    hasDomain: configs.some(({ Aliases }) => Aliases !== undefined),
    hasCertificate: configs.some(({ ViewerCertificate }) => ViewerCertificate?.AcmCertificateArn !== undefined),
  };
}
