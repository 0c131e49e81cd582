/** The single table. The CDK, the local stack and the tests create it from this. */
export const tableDefinition = { partitionKey: 'pk', sortKey: 'sk', timeToLiveAttribute: 'expiresAt' } as const;
