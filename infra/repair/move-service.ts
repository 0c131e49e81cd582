import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { longestWriteMs } from '#lib/audit/write.ts';
import { keys } from '#lib/table/keys.ts';
import { servingRegionRecord } from '#lib/table/records/serving-region.ts';
import { findServingRegion, newestEpoch, newestRegion, reliedOnMs } from '#lib/table/serving-region.ts';

export interface Move {
  tableName: string;
  /** The region that will serve, the other one, and the one that serves until the table names one. */
  regions: { own: string; peer: string; first: string };
  own: DynamoDBDocumentClient;
  /** Undefined if the other region is lost. */
  peer: DynamoDBDocumentClient | undefined;
  say: (sentence: string) => void;
  /** Waits until no process relies on an older item any more. */
  waitForProcesses: () => Promise<void>;
  /** Waits before it looks again whether the replica has been updated. */
  waitForReplica: () => Promise<void>;
}

/**
 * How long the region that served may still write. The table's client checks before each write whether its region
 * serves, also in workers that run for minutes, and no write ends later than that after its check.
 */
export const lateWritesMs = reliedOnMs + longestWriteMs;

/** Some minutes, at the pause that the command makes. */
const looksForReplica = 60;

/**
 * Makes a region serve (decision 31): first no region serves, and only when no process of the other one can be writing
 * any more does the table name the new one. It can be repeated if it stops half-way.
 * @throws Error with a sentence; then no region serves, or still the other one
 */
export async function moveService(move: Move): Promise<void> {
  const { regions, own, peer, say } = move;
  const items = await bothItems(move);
  if (newestRegion(items, regions.first) === regions.own && items.every(item => item?.epoch === items[0]?.epoch)) {
    say(`${regions.own} serves already.`);
    return;
  }
  const epoch = newestEpoch(items) + 1;
  // Where the service is now, so that its processes see it with their next read.
  await name(peer ?? own, move, null, epoch);
  say(`No region serves now. Waiting until no process of ${regions.peer} can be writing any more.`);
  await move.waitForProcesses();
  if (peer !== undefined) await untilReplicated(move, epoch);
  await name(own, move, regions.own, epoch + 1);
  say(`${regions.own} serves. Its functions see it within a minute.`);
}

async function bothItems({ tableName, own, peer }: Move) {
  const clients = peer === undefined ? [own] : [own, peer];
  return Promise.all(clients.map(client => findServingRegion(client, tableName)));
}

/** @throws Error if something else has named a region in the meantime */
async function name(client: DynamoDBDocumentClient, { tableName }: Move, region: string | null, epoch: number) {
  const item = { region, epoch, changedAt: new Date().toISOString() };
  try {
    await client.send(
      new PutCommand({
        TableName: tableName,
        Item: servingRegionRecord.toItem(keys.servingRegion(), item),
        ConditionExpression: 'attribute_not_exists(pk) OR epoch < :epoch',
        ExpressionAttributeValues: { ':epoch': epoch },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    throw new Error('Someone else is moving the service. Run the command again when theirs has ended.');
  }
}

/** What the other region wrote before it stopped has been copied as well, or is about to be. */
async function untilReplicated({ tableName, own, regions, waitForReplica }: Move, epoch: number): Promise<void> {
  for (let looks = 0; looks < looksForReplica; looks += 1) {
    if (((await findServingRegion(own, tableName))?.epoch ?? 0) >= epoch) return;
    await waitForReplica();
  }
  throw new Error(
    `The replica in ${regions.own} does not receive changes from ${regions.peer}, so it may lack some. No region serves. ` +
      `Run the command again, or with --other-region-lost to go on without them.`,
  );
}
