import * as z from 'zod';
import { EnvironmentType } from '../fields/environment-type.ts';
import { Slug, Timestamp, Uuid } from '../fields/text.ts';

export const Environment = z
  .object({
    id: Uuid.meta({ description: 'Environment identifier.', example: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094' }),
    slug: Slug.meta({ description: 'Unique within its project. It never changes.', example: 'staging' }),
    name: z.string().meta({ description: 'Display name.', example: 'Staging' }),
    type: EnvironmentType,
    revision: z
      .int()
      .meta({ description: 'Increases by one with each accepted change of the environment’s secrets.', example: 17 }),
    secretCount: z.int().meta({ description: 'The number of secrets, excluding deleted ones.', example: 42 }),
    createdAt: Timestamp.meta({ description: 'When it was created.' }),
  })
  .meta({ id: 'Environment', description: 'A set of secrets, for example for one deployment stage.' });
export type Environment = z.infer<typeof Environment>;

export const environmentExample = { type: 'staging', revision: 0, secretCount: 0 } as const;
