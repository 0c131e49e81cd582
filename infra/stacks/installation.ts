import { type App, Tags } from 'aws-cdk-lib';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { Config } from '../plan/config.ts';
import { ApiStack } from './api-stack.ts';
import { EdgeStack } from './edge-stack.ts';
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
  const foundation = new FoundationStack(app, `${config.name}-foundation`, {
    config,
    description: `${config.name}: table, key, queues`,
    terminationProtection: true,
  });
  const api = new ApiStack(app, `${config.name}-api`, {
    config,
    foundation,
    codeOf,
    description: `${config.name}: API, functions, alarms`,
  });
  const edge = new EdgeStack(app, `${config.name}-edge`, {
    config,
    apiHost: api.host,
    dashboardDirectory,
    description: `${config.name}: the address of dashboard and API`,
  });
  // cfn-lint's schema for dashboards has no tags.
  Tags.of(app).add('application', config.name, { excludeResourceTypes: ['AWS::CloudWatch::Dashboard'] });
  return { foundation, api, edge };
}
