import * as z from 'zod';
import { AuditAction } from '../fields/audit-action.ts';
import { Slug, Timestamp } from '../fields/text.ts';
import { UserReference } from '../fields/user-reference.ts';
import { keyNames } from './key-names.ts';
import { Revision } from './revision.ts';

export const SecretRevision = z
  .object({
    revision: Revision,
    action: AuditAction.nullable().meta({
      description: 'The action of its audit entry; null for a change made before revisions were recorded.',
      example: 'secret.bulk_set',
    }),
    message: z
      .string()
      .nullable()
      .meta({ description: 'The author’s reason for the change.', example: 'Rotate the key' }),
    createdAt: Timestamp.meta({ description: 'When the change was made.' }),
    createdBy: UserReference.nullable().meta({ description: 'Who made it; null for a repair by an operator.' }),
    created: keyNames('Keys that were created.'),
    updated: keyNames('Keys that got a new value.'),
    deleted: keyNames('Keys that were deleted.'),
    from: z
      .object({ slug: Slug.meta({ description: 'Slug of the environment.', example: 'dev' }), revision: Revision })
      .optional()
      .meta({ description: 'The environment and revision that a promotion copied from.' }),
    restored: z.int().optional().meta({ description: 'The revision that was restored.', example: 12 }),
  })
  .meta({ id: 'SecretRevision', description: 'One accepted change of an environment’s secrets.' });
