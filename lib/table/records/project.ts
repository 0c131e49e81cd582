import * as z from 'zod';
import { Rotation } from '../../contracts/projects/projects.ts';
import { Bytes, entity } from '../entity.ts';
import { keys } from '../keys.ts';
import { Kept } from './kept.ts';

const withKeys = {
  id: z.string(),
  organizationId: z.string(),
  slug: z.string(),
  keyVersion: z.int(),
  wrappedKeys: z.record(z.string(), Bytes),
  status: z.enum(['active', 'deleting']),
};

/** The part of a project that requests for its secrets need. */
export const projectKeysRecord = entity('project', keys.project, withKeys);
export type ProjectKeys = ReturnType<typeof projectKeysRecord.parse>;

/** A project with its wrapped data keys by version. New values are sealed under `keyVersion`. */
export const projectRecord = entity('project', keys.project, {
  ...withKeys,
  name: z.string(),
  description: z.string().nullable(),
  /** `failed`: its job gave up. Another rotation may begin, and also re-encrypts these values. */
  rotation: Rotation.extend({ failed: z.literal(true).optional() }).nullable(),
  environmentCount: z.int(),
  firstRevision: z.int(),
  createdAt: z.string(),
  kept: Kept.optional(),
  /** Its restore is decided and under way: it has more environments than one transaction can open. */
  restoring: z.literal(true).optional(),
});
export type ProjectRecord = ReturnType<typeof projectRecord.parse>;

export const templateKeyRecord = entity('templateKey', keys.templateKey, {
  key: z.string(),
  projectId: z.string(),
  description: z.string().optional(),
  required: z.boolean(),
  pattern: z.string().optional(),
  /** The user id of who was a member when it was set. */
  owner: z.string().optional(),
  tags: z.array(z.string()).optional(),
  renewUrl: z.string().optional(),
  maxAgeDays: z.int().optional(),
  /** By environment id. */
  expiresAt: z.record(z.string(), z.string()).optional(),
  note: z.string().optional(),
  createdAt: z.string(),
});
export type TemplateKeyRecord = ReturnType<typeof templateKeyRecord.parse>;
