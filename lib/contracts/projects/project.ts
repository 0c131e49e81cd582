import * as z from 'zod';
import { Rotation } from '../fields/rotation.ts';
import { Slug, Timestamp, Uuid } from '../fields/text.ts';
import { Environment, environmentExample } from './environment.ts';

export const Project = z
  .object({
    id: Uuid.meta({ description: 'Project identifier.', example: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73' }),
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
