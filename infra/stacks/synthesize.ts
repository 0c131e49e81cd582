import { App, NestedStack, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { Config } from '../plan/config.ts';
import { type Assets, addInstallation } from './installation.ts';

export interface Resource {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: templates have CloudFormation's types
  Properties: any;
  [attribute: string]: unknown;
}

export interface StackTemplate {
  Resources: Readonly<Record<string, Resource>>;
  Outputs?: Readonly<Record<string, { Value: unknown; Export?: { Name: unknown } }>>;
}

/** The templates of an installation by the names of their stacks, nested ones included. */
export type Templates = ReadonlyMap<string, StackTemplate>;

export interface Synthesized {
  app: App;
  stacks: readonly Stack[];
  templates: Templates;
}

/** The templates of an installation, without files for a deployment. */
export function synthesize(config: Config, assets: Assets, outdir: string): Synthesized {
  const app = new App({ outdir });
  addInstallation(app, config, assets);
  const stacks = app.node.children.flatMap(child =>
    child.node.findAll().filter((node): node is Stack => node === child || NestedStack.isNestedStack(node)),
  );
  const templates = new Map(
    stacks.map(stack => [stack.node.id, Template.fromStack(stack).toJSON() as unknown as StackTemplate]),
  );
  return { app, stacks, templates };
}
