/**
 * The partitions of the table, by the first word of their keys: one of a kind, or many, each with an identifier. Keys
 * (`lib/table/keys.ts`) are in no other partition, and a function's role names the ones it reads and writes.
 */
export const partitions = {
  ASSERTION: 'many',
  AUDIT: 'many',
  CHALLENGE: 'many',
  CREDENTIALKEY: 'one',
  CUSTOMER: 'many',
  DELIVERIES: 'many',
  DELIVERY: 'many',
  DOMAIN: 'many',
  EMAIL: 'many',
  ENV: 'many',
  HANDOFF: 'many',
  INVITATION: 'many',
  ISSUER: 'many',
  METRICS: 'many',
  METRICSBATCH: 'many',
  ORG: 'many',
  ORGID: 'many',
  ORGS: 'one',
  PASSKEY: 'many',
  PAYLOAD: 'many',
  PLANS: 'one',
  PLATFORM: 'one',
  PROVIDEREVENT: 'many',
  RATE: 'many',
  RETIRED: 'many',
  SERVINGREGION: 'one',
  SIGNIN: 'many',
  UNFINISHED: 'one',
  USER: 'many',
} as const;

export type Partition = keyof typeof partitions;
