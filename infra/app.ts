import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { bundleFunctions } from './build/bundle.ts';
import { ConfigError, configNames } from './plan/config.ts';
import { readInstallation, settingsElsewhere } from './plan/installation-file.ts';
import { readRollout } from './stacks/gradual-deployments.ts';
import { addInstallation } from './stacks/installation.ts';

/**
 * The CDK app (`cdk.json`): bundles the functions and defines the stacks of the installation. It makes no look-ups in
 * any account.
 */
try {
  const app = new App();
  const installation = app.node.tryGetContext('installation');
  if (configNames.some(name => app.node.tryGetContext(name) !== undefined)) throw settingsElsewhere(installation);
  const config = readInstallation(installation);
  const rollout = readRollout(app.node.tryGetContext('rollout'));
  const bundles = new Map((await bundleFunctions()).map(({ name, directory }) => [name, directory]));
  addInstallation(app, config, {
    codeOf: name => Code.fromAsset(bundles.get(name) ?? '', { exclude: ['*.map'] }),
    ...(rollout === undefined ? {} : { rollout }),
  });
  app.synth();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
