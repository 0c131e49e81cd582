import type { Config } from './config.ts';

export interface PlannedStack {
  name: string;
  /** Undefined for the region of the credentials. */
  region: string | undefined;
}

/** The stacks that an installation deploys, without the nested ones. Pure. */
export function stacksOf(config: Config): PlannedStack[] {
  const { name, region, waf, replicaRegion, backupVaultArn, deliveredBy } = config;
  const stack = (suffix: string, where = region) => ({ name: `${name}-${suffix}`, region: where });
  return [
    stack('foundation'),
    stack('api'),
    stack('edge'),
    // CloudFront's firewall is in us-east-1.
    ...(waf ? [stack('firewall', 'us-east-1')] : []),
    ...(replicaRegion === undefined ? [] : [stack('replica', replicaRegion)]),
    ...(backupVaultArn === undefined ? [] : [stack('backup')]),
    ...(deliveredBy === undefined ? [] : [stack('delivery')]),
  ];
}
