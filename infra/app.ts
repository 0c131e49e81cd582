import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { bundleFunctions } from './build/bundle.ts';
import { writeDashboard } from './build/dashboard.ts';
import { ConfigError } from './plan/config.ts';
import { readInstallation } from './plan/installation-file.ts';
import { addInstallation } from './stacks/installation.ts';

/**
 * The CDK app (`cdk.json`): bundles the functions and defines the stacks of the installation. It makes no look-ups in
 * any account.
 */
try {
  const app = new App();
  const config = readInstallation(app.node.tryGetContext('installation'));
  const bundles = new Map((await bundleFunctions()).map(({ name, directory }) => [name, directory]));
  addInstallation(app, config, {
    codeOf: name => Code.fromAsset(bundles.get(name) ?? '', { exclude: ['*.map'] }),
    dashboardDirectory: await writeDashboard(),
  });
  app.synth();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
