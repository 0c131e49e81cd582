import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { ApiError } from '../core/errors.ts';
import { openLog } from '../core/logger.ts';
import { requiredSetting } from '../core/settings.ts';
import { minuteMs } from '../core/time.ts';
import { keys } from './keys.ts';
import { type ServingRegion, servingRegionRecord } from './records/serving-region.ts';
import { sendPatiently } from './retry.ts';

/*
 * Conditions and transactions apply within one region, so only one region of a global table may write. An item names
 * it, which a region back from an outage may lack. So each process reads it in both regions (decision 31).
 */

/**
 * How long a process relies on its last read, measured from before it. `infra/commands/move-service.ts` waits as long.
 */
export const reliedOnMs = minuteMs;

/**
 * Whether this region serves, by both regions' tables. An unreachable peer is only logged.
 * @throws the error of reading this region's table
 */
export async function readServesHere(
  own: DynamoDBDocumentClient,
  peer: { region: string; client: DynamoDBDocumentClient },
): Promise<boolean> {
  const items = await Promise.all([sendPatiently(() => findServingRegion(own)), findInPeer(peer.region, peer.client)]);
  return newestRegion(items, requiredSetting('FIRST_REGION')) === requiredSetting('AWS_REGION');
}

/** The error of a region that doesn't serve. Clients retry; once the domain has moved, they reach the other region. */
export function servedElsewhere(): ApiError {
  const message = 'Another region is serving at the moment. Send the request again in a minute.';
  return new ApiError('temporarily_unavailable', message, { retryAfterSeconds: 60, isExpected: true });
}

/** The region that the newest item names, or `first` if there is none; null if two of one epoch disagree. Pure. */
export function newestRegion(items: readonly (ServingRegion | undefined)[], first: string): string | null {
  const epoch = newestEpoch(items);
  const [region = first, ...others] = items.flatMap(item => (item?.epoch === epoch ? [item.region] : []));
  return others.every(other => other === region) ? region : null;
}

export function newestEpoch(items: readonly (ServingRegion | undefined)[]): number {
  return Math.max(0, ...items.map(item => item?.epoch ?? 0));
}

export async function findServingRegion(
  client: DynamoDBDocumentClient,
  TableName = requiredSetting('TABLE_NAME'),
): Promise<ServingRegion | undefined> {
  const { Item } = await client.send(new GetCommand({ TableName, Key: keys.servingRegion(), ConsistentRead: true }));
  return Item && servingRegionRecord.parse(Item);
}

async function findInPeer(region: string, client: DynamoDBDocumentClient): Promise<ServingRegion | undefined> {
  try {
    return await findServingRegion(client);
  } catch (error) {
    const log = openLog({ operation: 'find-serving-region', region });
    // A lost region must not stop this one. A rejection is a mistake in the deployment.
    if (isClientError(error)) log.error('may not read which region serves in the other region', error);
    else log.warn('could not read which region serves in the other region', { reason: String(error) });
    return undefined;
  }
}

export function isClientError(error: unknown): boolean {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode ?? 0;
  return status >= 400 && status < 500;
}
