import * as z from 'zod';

export const maximumNetworks = 50;

/** Whom a list applies to: sessions and people's tokens, or identities with their tokens. */
export type NetworkUser = 'people' | 'machines';

export const describedNetworks = {
  people: 'The networks that people’s sessions and tokens are accepted from; null if from everywhere.',
  machines: 'The networks that identities and their tokens are accepted from; null if from everywhere.',
} as const;

const Networks = z
  .array(z.string())
  .nullable()
  .meta({ example: ['198.51.100.0/24', '2001:db8:12::/48'] });

export const AllowedNetworks = z
  .object({
    people: Networks.describe(describedNetworks.people),
    machines: Networks.describe(describedNetworks.machines),
  })
  .meta({ id: 'AllowedNetworks', description: 'The networks from which an organization accepts requests.' });
export type AllowedNetworks = z.infer<typeof AllowedNetworks>;
