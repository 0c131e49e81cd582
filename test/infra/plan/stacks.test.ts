import { expect, test } from 'vitest';
import { readConfig } from '#infra/plan/config.ts';
import { stacksOf } from '#infra/plan/stacks.ts';
import { exampleSettings, exampleVault, fullSettings, synthesize } from '#test/support/installation.ts';

test.each([
  ['no option', exampleSettings],
  [
    'every option',
    {
      ...fullSettings,
      region: 'eu-central-1',
      replicaRegion: 'eu-west-1',
      waf: true,
      backupVaultArn: exampleVault,
      deliveredBy: 'acme/holdfast:production',
    },
  ],
])('the preflight looks at every stack that is deployed, in its region, with %s', (_, settings) => {
  const deployed = synthesize(settings).stacks.filter(({ nested }) => !nested);
  const config = readConfig(settings);
  const own = config.region ?? deployed[0]?.region;
  const looked = stacksOf(config).map(({ name, region = own }) => [name, region]);
  const planned = deployed.map(({ stackName, region }) => [stackName, region]);
  expect(looked.toSorted()).toEqual(planned.toSorted());
});
