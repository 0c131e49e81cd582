import * as z from 'zod';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** A key that environments of a project are expected to have. */
export const templateKeyRecord = entity('templateKey', keys.templateKey, {
  key: z.string(),
  /** The project that the template belongs to. */
  projectId: z.string(),
  description: z.string().optional(),
  required: z.boolean(),
  /** RE2 syntax, known to compile. */
  pattern: z.string().optional(),
  createdAt: z.string(),
});

export type TemplateKeyRecord = ReturnType<typeof templateKeyRecord.parse>;
