import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ConfigError, regionsOf } from '../plan/config.ts';
import { readInstallation } from '../plan/installation-file.ts';
import { lateWritesMs, moveService } from '../repair/move-service.ts';
import { readOutputs } from './read-deployed.ts';
import { sentenceOf } from './sentence-of.ts';

/*
 * `npm run operate -- move-service <installation> [--other-region-lost]`: makes the region of this installation serve, and the
 * other region of its table refuse everything. It takes about two minutes, in which no region serves. With
 * `--other-region-lost` it talks to this region only.
 */

try {
  const [installation = '', ...options] = process.argv.slice(2);
  const isLost = options.includes('--other-region-lost');
  if (!/^[a-z]/.test(installation) || options.length > (isLost ? 1 : 0)) {
    throw new ConfigError('Usage: npm run operate -- move-service <installation> [--other-region-lost]');
  }
  const config = readInstallation(installation);
  const regions = regionsOf(config);
  if (regions === undefined) {
    throw new ConfigError(
      `The table of ${installation} has no other region: neither replicaRegion nor peerRegion is set.`,
    );
  }
  const { TableName: tableName } = await readOutputs(config, 'foundation');
  if (tableName === undefined) throw new ConfigError(`The stack ${config.name}-foundation is not deployed.`);
  const clientIn = (region: string) => DynamoDBDocumentClient.from(new DynamoDBClient({ region }));
  await moveService({
    tableName,
    regions,
    own: clientIn(regions.own),
    peer: isLost ? undefined : clientIn(regions.peer),
    say: sentence => process.stdout.write(`${sentence}\n`),
    waitForProcesses: () => sleep(lateWritesMs),
    waitForReplica: () => sleep(5000),
  });
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`);
  process.exitCode = 1;
}
