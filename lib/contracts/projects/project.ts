import * as z from 'zod';
import { EnvironmentType } from '../fields/role.ts';
import { EnvironmentId, ProjectId, Slug, Timestamp } from '../fields/text.ts';

export const Rotation = z
  .object({
    status: z
      .enum(['in_progress', 'completed'])
      .meta({ description: 'Whether values are still being re-encrypted.', example: 'completed' }),
    fromVersion: z.int().meta({ description: 'The version of the key that is being replaced.', example: 1 }),
    toVersion: z.int().meta({ description: 'The version of the key that replaces it.', example: 2 }),
    reencrypted: z
      .int()
      .meta({ description: 'The number of stored values re-encrypted so far, including the history.', example: 310 }),
    total: z
      .int()
      .meta({ description: 'The total number of stored values to re-encrypt, including the history.', example: 310 }),
  })
  .meta({ id: 'Rotation', description: 'The last rotation of a project’s encryption key.' });
export type Rotation = z.infer<typeof Rotation>;

export const Environment = z
  .object({
    id: EnvironmentId.meta({ description: 'Environment identifier.' }),
    slug: Slug.meta({ description: 'Unique within its project. It never changes.', example: 'staging' }),
    name: z.string().meta({ description: 'Display name.', example: 'Staging' }),
    type: EnvironmentType,
    revision: z
      .int()
      .meta({ description: 'Increases by one with each accepted change to the environment’s secrets.', example: 17 }),
    secretCount: z.int().meta({ description: 'The number of secrets, excluding deleted ones.', example: 42 }),
    createdAt: Timestamp.meta({ description: 'When it was created.' }),
  })
  .meta({ id: 'Environment', description: 'A set of secrets, for example for one deployment stage.' });
export type Environment = z.infer<typeof Environment>;

export const environmentExample = { type: 'staging', revision: 0, secretCount: 0 } as const;

export const Project = z
  .object({
    id: ProjectId.meta({ description: 'Project identifier.' }),
    slug: Slug.meta({ description: 'Unique within its organization. It never changes.', example: 'web-shop' }),
    name: z.string().meta({ description: 'Display name.', example: 'Web shop' }),
    description: z
      .string()
      .nullable()
      .meta({ description: 'A description of the project.', example: 'The public shop.' }),
    keyVersion: z.int().meta({ description: 'The version of the key that encrypts new values.', example: 1 }),
    rotation: Rotation.nullable().meta({ description: 'The last key rotation; null before the first one.' }),
    environments: z
      .array(Environment)
      .meta({ description: 'Its environments. A limited token sees only those in its scope.' }),
    createdAt: Timestamp.meta({ description: 'When it was created.' }),
  })
  .meta({ id: 'Project', description: 'Environments that share an encryption key and a template.' });
export type Project = z.infer<typeof Project>;

export const projectExample = {
  environments: [
    {
      ...environmentExample,
      id: 'a2f6c8d1-4e3b-47a9-9c50-6b1d8e7f2a34',
      slug: 'dev',
      name: 'Development',
      type: 'development',
    },
    environmentExample,
    {
      ...environmentExample,
      id: 'd93b7e50-1f8c-4a26-b4d7-5e0a9c6f3182',
      slug: 'production',
      name: 'Production',
      type: 'production',
    },
  ],
} as const;
