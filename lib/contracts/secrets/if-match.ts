import * as z from 'zod';
import { IfMatch } from '../fields/preconditions.ts';

export const IfMatchHeader = z.object({
  'if-match': IfMatch.optional().meta({
    description:
      'Makes the change only if the environment is at this revision; otherwise the response is `412 ' +
      'revision_mismatch`. `*` matches any revision.',
    example: '"17"',
  }),
});
