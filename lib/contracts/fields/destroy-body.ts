import * as z from 'zod';

const maximumVersions = 1000;

const VersionNumber = z
  .int()
  .min(1, { message: 'must be 1 or more' })
  .max(9_999_999_999, { message: 'must be a version' });

/** Which versions of a key to destroy. */
export const DestroyBody = z
  .strictObject({
    versions: z
      .array(VersionNumber)
      .min(1, { message: 'must have at least one item' })
      .max(maximumVersions, { message: `must have at most ${maximumVersions} items` })
      .optional()
      .meta({ description: 'These versions.', example: [1, 2] }),
    before: VersionNumber.optional().meta({ description: 'All versions before this one.', example: 3 }),
  })
  .superRefine(({ versions, before }, context) => {
    if ((versions === undefined) === (before === undefined)) {
      context.addIssue({ code: 'custom', message: 'must have either versions or before' });
    }
  });
export type DestroyBody = z.infer<typeof DestroyBody>;
