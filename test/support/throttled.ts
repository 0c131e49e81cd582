/** What DynamoDB throws if it throttles a call, and for which reason. */
export function throttled(reason?: string): Error {
  return Object.assign(new Error('too fast (injected)'), {
    name: 'ProvisionedThroughputExceededException',
    ...(reason !== undefined && { ThrottlingReasons: [{ reason, resource: 'table' }] }),
    $metadata: { httpStatusCode: 400 },
  });
}

/** The reason that a partition has reached its limit. */
export const hotPartition = 'TableWriteKeyRangeThroughputExceeded';
