import * as z from 'zod';
import { Name, Timestamp, Uuid } from '../fields/text.ts';

export const Passkey = z
  .object({
    id: Uuid.meta({ description: 'Passkey identifier.', example: '4b8e2f6a-9c1d-4e70-a3b5-7f0d2c9e6a18' }),
    name: Name.meta({ description: 'The user’s name for it.', example: 'laptop' }),
    createdAt: Timestamp.meta({ description: 'When it was added.' }),
    lastUsedAt: Timestamp.nullable().meta({ description: 'When it was last used to log in; null if never.' }),
    counterWentBackAt: Timestamp.nullable().meta({
      description:
        'When its counter of uses last failed to increase, which happens when a password manager moves it, or if ' +
        'there is a copy; null if never.',
    }),
  })
  .meta({ id: 'Passkey', description: 'A user’s passkey (WebAuthn).' });
export type Passkey = z.infer<typeof Passkey>;
