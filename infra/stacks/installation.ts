import { type App, BOOTSTRAP_QUALIFIER_CONTEXT, CfnResource, type Stack, Tags } from 'aws-cdk-lib';
import { CfnRole } from 'aws-cdk-lib/aws-iam';
import { CfnFunction, type Code } from 'aws-cdk-lib/aws-lambda';
import type { Config } from '../plan/config.ts';
import { type RoutedFunctionPlan, routedFunctions } from '../plan/functions.ts';
import { ApiStack } from './api-stack.ts';
import { BackupStack } from './backup-stack.ts';
import { DeliveryStack } from './delivery-stack.ts';
import { EdgeStack } from './edge-stack.ts';
import { FirewallStack } from './firewall-stack.ts';
import { FoundationStack } from './foundation-stack.ts';
import { type Rollout, rolloutOf } from './gradual-deployments.ts';
import { ReplicaStack } from './replica-stack.ts';

/** The files that a deployment uploads. */
export interface Assets {
  /** A function's code: the folder to upload. */
  codeOf: (name: string) => Code;
  /** How requests move to the new versions; `gradual` by default. */
  rollout?: Rollout;
  /** The functions behind the API; a test deploys those of another version. */
  routed?: readonly RoutedFunctionPlan[];
}

export interface Installation {
  foundation: FoundationStack;
  api: ApiStack;
  edge: EdgeStack;
}

/**
 * Adds an installation's stacks: the ones that must last, the ones that each deployment replaces, and CloudFront in
 * front of both.
 */
export function addInstallation(
  app: App,
  config: Config,
  { codeOf, rollout = rolloutOf(config, undefined), routed = routedFunctions }: Assets,
): Installation {
  const env = config.region === undefined ? {} : { env: { region: config.region } };
  if (config.bootstrapQualifier !== undefined)
    app.node.setContext(BOOTSTRAP_QUALIFIER_CONTEXT, config.bootstrapQualifier);
  const foundation = new FoundationStack(app, `${config.name}-foundation`, {
    ...env,
    config,
    crossRegionReferences: config.replicaRegion !== undefined,
    description: `${config.name}: table, key, queues`,
    terminationProtection: true,
  });
  const api = new ApiStack(app, `${config.name}-api`, {
    ...env,
    config,
    rollout,
    routed,
    foundation,
    codeOf,
    tags: { rollout },
    description: `${config.name}: API, functions, alarms`,
    terminationProtection: true,
  });
  const firewall = config.waf
    ? new FirewallStack(app, `${config.name}-firewall`, {
        env: { region: 'us-east-1' },
        crossRegionReferences: true,
        config,
        description: `${config.name}: the firewall in front of CloudFront`,
      })
    : undefined;
  const edge = new EdgeStack(app, `${config.name}-edge`, {
    ...env,
    crossRegionReferences: config.waf,
    firewallArn: firewall?.arn,
    config,
    apiHost: api.host,
    description: `${config.name}: the address of dashboard and API`,
    terminationProtection: true,
  });
  // The owner of an existing key creates its replica, because that may need rights that the deployment lacks.
  if (config.replicaRegion !== undefined && config.keyArn === undefined) {
    new ReplicaStack(app, `${config.name}-replica`, {
      env: { region: config.replicaRegion },
      crossRegionReferences: true,
      config,
      keyArn: foundation.key.keyArn,
      description: `${config.name}: the key in a second region`,
      terminationProtection: true,
    });
  }
  if (config.backupVaultArn !== undefined) {
    new BackupStack(app, `${config.name}-backup`, {
      ...env,
      config,
      tableArn: foundation.table.tableArn,
      copyTo: config.backupVaultArn,
      description: `${config.name}: a daily copy of the table in another account`,
      terminationProtection: true,
    });
  }
  if (config.deliveredBy !== undefined) addDelivery(app, config, config.deliveredBy, edge);
  const tags = { ...config.tags, application: config.name };
  for (const [key, value] of Object.entries(tags)) {
    // cfn-lint's schema for dashboards has no tags.
    Tags.of(app).add(key, value, { excludeResourceTypes: ['AWS::CloudWatch::Dashboard'] });
  }
  app.node.addValidation({ validate: () => finishResources(app, config, tags) });
  return { foundation, api, edge };
}

function addDelivery(app: App, config: Config, deliveredBy: string, edge: EdgeStack): void {
  const [repository = '', ...environments] = deliveredBy.split(':');
  const delivery = new DeliveryStack(app, `${config.name}-delivery`, {
    ...(config.region === undefined ? {} : { env: { region: config.region } }),
    config,
    repository,
    environments,
    dashboardFilesArn: edge.filesArn,
    description: `${config.name}: the roles of its deployment pipeline`,
  });
  delivery.addStackDependency(edge);
}

/**
 * What aspects can't do: the CDK adds its own functions for references between regions after all aspects have run, but
 * before validation. They get the installation's tags, like everything else, and every role gets the boundary. They
 * also depend on their role twice: by naming it, and explicitly (cfn-lint, W3005). Returns no problems.
 */
function finishResources(app: App, { permissionsBoundary }: Config, tags: Readonly<Record<string, string>>): string[] {
  for (const node of app.node.findAll()) {
    if (!CfnResource.isCfnResource(node)) continue;
    const isRole = node.cfnResourceType === CfnRole.CFN_RESOURCE_TYPE_NAME;
    if (isRole && permissionsBoundary !== undefined)
      node.addPropertyOverride('PermissionsBoundary', policyArn(node.stack, permissionsBoundary));
    if (!(node.node.scope?.node.id ?? '').startsWith('Custom::CrossRegionExport')) continue;
    node.addDeletionOverride('DependsOn');
    if (!isRole && node.cfnResourceType !== CfnFunction.CFN_RESOURCE_TYPE_NAME) continue;
    node.addPropertyOverride(
      'Tags',
      Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
    );
  }
  return [];
}

/** The ARN of a policy of the account that is named by its ARN or its name. */
function policyArn(stack: Stack, policy: string): string {
  if (policy.startsWith('arn:')) return policy;
  return stack.formatArn({ service: 'iam', region: '', resource: 'policy', resourceName: policy });
}
