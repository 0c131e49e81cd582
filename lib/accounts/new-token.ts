import { randomUUID } from 'node:crypto';
import { issuingKey } from '../access/credential-key.ts';
import type { TokenAccess } from '../contracts/fields/token-access.ts';
import { createCredential, tokenPrefix } from '../crypto/credentials.ts';
import { isNew } from '../table/expressions.ts';
import { type TokenRecord, tokenRecord } from '../table/records/token.ts';
import { at, put, type Write } from '../table/store.ts';

const shownCharacters = 16;

/** A new token: its record, and the bearer token in clear, which is shown only this once. */
export interface IssuedToken {
  token: string;
  cliToken: TokenRecord;
}

interface TokenFacts {
  name: string;
  access: TokenAccess;
  organizationId: string | null;
  projectId: string | null;
  environmentId: string | null;
  memberId: string | null;
  expiresInDays: number | null;
  /** Whether the session that makes it was proved with a second factor. */
  secondFactor?: boolean | undefined;
}

/** A new bearer token of the user, with the write that makes it valid. */
export async function newToken(
  user: { id: string; email: string },
  { expiresInDays, ...facts }: TokenFacts,
): Promise<IssuedToken & { write: Write }> {
  const { secret, hash } = createCredential(user.id, tokenPrefix, await issuingKey());
  const now = Date.now();
  const expiryMs = expiresInDays === null ? undefined : now + expiresInDays * 24 * 60 * 60 * 1000;
  const cliToken: TokenRecord = {
    ...facts,
    id: randomUUID(),
    userId: user.id,
    email: user.email,
    hash,
    prefix: secret.slice(0, shownCharacters),
    createdAt: new Date(now).toISOString(),
    lastUsedAt: null,
    expiryDate: expiryMs === undefined ? null : new Date(expiryMs).toISOString(),
    ...(expiryMs === undefined ? {} : { expiresAt: Math.ceil(expiryMs / 1000) }),
  };
  return { token: secret, cliToken, write: put(at(tokenRecord, user.id, hash), cliToken, { if: isNew }) };
}
