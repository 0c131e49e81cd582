/**
 * Replaces `@aws-sdk/endpoint-cache` in the bundles. The client for DynamoDB creates a cache for discovered endpoints,
 * but none of its commands discovers any. The package and the data structures it depends on are 8 KB.
 */
export class EndpointCache {}
