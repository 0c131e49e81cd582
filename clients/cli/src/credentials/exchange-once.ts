import { createHash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { exchangeAssertion, IdentityOptions, IdentityToken } from '@holdfast/sdk';
import { cacheDirectory, readIfThere, writeOwnFile } from '../files.ts';
import { type Sealed, seal, unseal } from '../sealed.ts';

const purpose = 'holdfast identity token v1';
/** The SDK replaces a token this long before it expires. */
const replacedBeforeMs = 60_000;
/** No token of an identity is valid for longer. */
const longestTokenMs = 60 * 60_000;
const filePattern = /^identity-[0-9a-f]{64}\.json$/;

/**
 * GitLab gives a job one token, which the service may accept only once, but a job may run several commands. So the token
 * from the exchange is cached, sealed with GitLab's token. A later job on the same machine has a different token and
 * can't read it. Without a place to write, each command signs in by itself.
 * @param exchange given, because a module that is loaded on demand should not import the SDK
 */
export async function exchangeOnce(
  exchange: typeof exchangeAssertion,
  options: IdentityOptions,
  assertion: string,
  rejected?: string,
): Promise<IdentityToken> {
  const { url, organization, identity } = options;
  const place = JSON.stringify([url, organization, identity]);
  const name = createHash('sha256')
    .update(JSON.stringify([place, assertion]))
    .digest('hex');
  const path = join(cacheDirectory(), `identity-${name}.json`);
  const kept = readKept(path, assertion, Buffer.from(place));
  if (kept !== undefined && kept.token !== rejected) return kept;
  const issued = await exchange(options, assertion);
  try {
    writeOwnFile(path, JSON.stringify(seal(assertion, purpose, Buffer.from(place), JSON.stringify(issued))));
    removeExpired();
  } catch {
    // The container is read-only, or the disk is full: only the next command needs the file.
  }
  return issued;
}

function readKept(path: string, assertion: string, context: Buffer): IdentityToken | undefined {
  try {
    const sealed: Sealed = JSON.parse(String(readIfThere(path)));
    const issued: IdentityToken = JSON.parse(unseal(assertion, purpose, context, sealed));
    if (Date.parse(issued.expiresAt) - replacedBeforeMs > Date.now()) return issued;
  } catch {
    // Absent, damaged, forged or not readable.
  }
  return undefined;
}

/** A command that returns a new token each time would leave a file each time. */
function removeExpired(): void {
  for (const name of readdirSync(cacheDirectory()).filter(one => filePattern.test(one))) {
    const path = join(cacheDirectory(), name);
    if (statSync(path).mtimeMs < Date.now() - longestTokenMs) rmSync(path, { force: true });
  }
}
