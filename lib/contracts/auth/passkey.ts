import * as z from 'zod';
import { Name, Timestamp, Uuid } from '../fields/text.ts';

export const Passkey = z
  .object({
    id: Uuid.meta({ description: 'Passkey identifier.', example: '4b8e2f6a-9c1d-4e70-a3b5-7f0d2c9e6a18' }),
    name: Name.meta({ description: 'What the user calls it.', example: 'laptop' }),
    createdAt: Timestamp.meta({ description: 'When it was added.' }),
    lastUsedAt: Timestamp.nullable().meta({ description: 'When it last signed its user in; null if never.' }),
  })
  .meta({ id: 'Passkey', description: 'A passkey (WebAuthn) of a user.' });
export type Passkey = z.infer<typeof Passkey>;
