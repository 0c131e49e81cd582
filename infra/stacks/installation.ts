import { type App, Tags } from 'aws-cdk-lib';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { Config } from '../plan/config.ts';
import { ApiStack } from './api-stack.ts';
import { EdgeStack } from './edge-stack.ts';
import { FirewallStack } from './firewall-stack.ts';
import { FoundationStack } from './foundation-stack.ts';

/** What a deployment uploads. */
export interface Assets {
  /** A function's code: the folder that is uploaded. */
  codeOf: (name: string) => Code;
  /** The folder with the dashboard's files. */
  dashboardDirectory: string;
}

export interface Installation {
  foundation: FoundationStack;
  api: ApiStack;
  edge: EdgeStack;
}

/** Adds an installation's stacks: what must last, what each deployment replaces, and the one origin before both. */
export function addInstallation(app: App, config: Config, { codeOf, dashboardDirectory }: Assets): Installation {
  const env = config.region === undefined ? {} : { env: { region: config.region } };
  const foundation = new FoundationStack(app, `${config.name}-foundation`, {
    ...env,
    config,
    description: `${config.name}: table, key, queues`,
    terminationProtection: true,
  });
  const api = new ApiStack(app, `${config.name}-api`, {
    ...env,
    config,
    foundation,
    codeOf,
    description: `${config.name}: API, functions, alarms`,
    terminationProtection: true,
  });
  const firewall = config.waf
    ? new FirewallStack(app, `${config.name}-firewall`, {
        env: { region: 'us-east-1' },
        crossRegionReferences: true,
        config,
        description: `${config.name}: the firewall before the edge`,
      })
    : undefined;
  const edge = new EdgeStack(app, `${config.name}-edge`, {
    ...env,
    crossRegionReferences: config.waf,
    firewallArn: firewall?.arn,
    config,
    apiHost: api.host,
    dashboardDirectory,
    description: `${config.name}: the address of dashboard and API`,
    terminationProtection: true,
  });
  // cfn-lint's schema for dashboards has no tags.
  Tags.of(app).add('application', config.name, { excludeResourceTypes: ['AWS::CloudWatch::Dashboard'] });
  return { foundation, api, edge };
}
