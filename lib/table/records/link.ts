import * as z from 'zod';
import { Bytes, ExpiresAt, entity } from '../entity.ts';
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

const Factor = z.discriminatedUnion('method', [
  z.object({ method: z.literal('passkey'), id: z.string(), credentialId: z.string() }),
  /** An authenticator app is known by its sealed secret, which is never the same twice. */
  z.object({ method: z.literal('totp'), sealed: Bytes }),
]);

/** A factor that was added, exactly. */
export type Factor = z.output<typeof Factor>;

/** A link that removes an added factor again. `change` is the number of the change that added it. */
export const undoLinkRecord = entity({
  kind: 'undoLink',
  key: keys.undoLink,
  schema: z.object({ factor: Factor, change: z.int(), expiresAt: ExpiresAt }),
});
