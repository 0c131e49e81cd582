import * as z from 'zod';
import { type Changes, changesBodyFields, documentedChanges, readChanges } from '../fields/changes-body.ts';
import { maxProposalDays } from '../fields/proposal.ts';
import { Slug } from '../fields/text.ts';
import { KeyList } from './changes.ts';

export const Purpose = z.literal('rotation').meta({
  description: '`rotation`: the last approval doesn’t apply it; its author does, with `/apply`.',
  example: 'rotation',
});

const message = changesBodyFields.message;
const extras = {
  purpose: Purpose.optional(),
  expiresInDays: z.int().min(1).max(maxProposalDays).default(7).meta({
    description: 'How long it can be approved and applied.',
    example: 7,
  }),
};

const promote = z
  .strictObject({
    from: Slug.meta({ description: 'Slug of the source environment.', example: 'dev' }),
    keys: KeyList.optional().meta({ description: 'Keys to promote. Defaults to all.', example: ['DATABASE_HOST'] }),
    overwrite: z.boolean().default(true).describe('Whether to overwrite existing values.'),
  })
  .describe('Copies secrets from another environment of the project, as they are now.');

const restore = z
  .strictObject({
    revision: z.int().meta({ description: 'The revision to restore; 0 is empty.', example: 12 }),
    keys: KeyList.optional().meta({ description: 'Keys to restore. Defaults to all.', example: ['DATABASE_HOST'] }),
  })
  .describe('Restores an earlier revision. Only for owners and admins.');

interface Common {
  message?: string | undefined;
  purpose?: 'rotation' | undefined;
  expiresInDays: number;
}

/** What to propose, with how long. */
export type ProposalBody = Common &
  ({ changes: Changes } | { promote: z.output<typeof promote> } | { restore: z.output<typeof restore> });

/** What `/changes` takes, or a promotion into the environment, or a restore. */
export const ProposalBody = z
  .strictObject({ ...changesBodyFields, promote: promote.optional(), restore: restore.optional(), ...extras })
  .transform((body, context): ProposalBody => {
    const { promote, restore, purpose, expiresInDays, message, ...fields } = body;
    const common = { message, purpose, expiresInDays };
    const isChange = fields.set !== undefined || fields.dotenv !== undefined || fields.delete.length > 0;
    if ([isChange, promote !== undefined, restore !== undefined].filter(Boolean).length > 1) {
      const message = 'must have only one of changes (set, dotenv, delete), promote and restore';
      context.addIssue({ code: 'custom', path: [], message });
    }
    if (promote !== undefined) return { ...common, promote };
    if (restore !== undefined) return { ...common, restore };
    const changes = readChanges(fields, (path, message) => context.addIssue({ code: 'custom', path, message }));
    return { ...common, changes };
  })
  .meta({
    documentedAs: () =>
      z.xor([
        ...documentedChanges(extras),
        z.strictObject({ promote, message, ...extras }).describe('A promotion into the environment.'),
        z.strictObject({ restore, message, ...extras }).describe('A restore of the environment.'),
      ]),
  });
