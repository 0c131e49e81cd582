/** The single table, as data: the CDK, the local stack and the tests create it from here. */
export const tableDefinition = {
  partitionKey: 'pk',
  sortKey: 'sk',
  timeToLiveAttribute: 'expiresAt',
} as const;
