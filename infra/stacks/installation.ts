import { type App, Tags } from 'aws-cdk-lib';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { Config } from '../plan/config.ts';
import { ApiStack } from './api-stack.ts';
import { FoundationStack } from './foundation-stack.ts';

export interface Installation {
  foundation: FoundationStack;
  api: ApiStack;
}

/** Adds an installation's two stacks: one with what must last, and one with what each deployment replaces. */
export function addInstallation(app: App, config: Config, codeOf: (name: string) => Code): Installation {
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
  // cfn-lint's schema for dashboards has no tags.
  Tags.of(app).add('application', config.name, { excludeResourceTypes: ['AWS::CloudWatch::Dashboard'] });
  return { foundation, api };
}
