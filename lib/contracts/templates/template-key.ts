import * as z from 'zod';
import { SecretKey, Timestamp } from '../fields/text.ts';

export const TemplateKey = z
  .object({
    key: SecretKey.meta({ description: 'The secret key that the template declares.', example: 'DATABASE_HOST' }),
    description: z
      .string()
      .optional()
      .meta({ description: 'A description of the key.', example: 'Host of the main database.' }),
    required: z.boolean().meta({ description: 'Whether every environment must have the key.' }),
    pattern: z
      .string()
      .optional()
      .meta({ description: 'A regular expression (RE2) that the whole value must match.', example: '[a-z0-9.-]+' }),
    createdAt: Timestamp.meta({ description: 'When it was added.' }),
  })
  .meta({ id: 'TemplateKey', description: 'A key that the project’s environments should have.' });
export type TemplateKey = z.infer<typeof TemplateKey>;

export const templateKeyExample = { description: 'Host of the main database.', required: true, pattern: '[a-z0-9.-]+' };
