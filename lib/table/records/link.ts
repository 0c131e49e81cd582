import * as z from 'zod';
import { ExpiresAt, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** The hash of the one verification link that is valid; a newer link takes its place. */
export const verificationLinkRecord = entity({
  kind: 'link',
  key: keys.verificationLink,
  schema: z.object({ hash: z.string(), expiresAt: ExpiresAt }),
});

/** A reset link. It works while its account is at the epoch in which it was mailed: any new password ends them all. */
export const resetLinkRecord = entity({
  kind: 'resetLink',
  key: keys.resetLink,
  schema: z.object({ epoch: z.int(), expiresAt: ExpiresAt }),
});
