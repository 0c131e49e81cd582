import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes, Failure } from '../failure.ts';
import { configDirectory, readIfThere, writeOwnFile } from '../files.ts';
import { readLimited } from '../read-limited.ts';
import { originOf } from '../settings/address.ts';
import { requireUrl, type Settings } from '../settings/settings.ts';
import { decode } from '../standard-input.ts';
import { findIdentity, type IdentityCredential } from './identity.ts';
import { deleteFromKeyring, keepInKeyring, readKeyring } from './keyring.ts';

/** The stored credential of one origin. Without `token`, the token is in the keyring. */
interface Kept {
  origin: string;
  token?: string;
  /** Whether `login` created it for this machine; if so, `logout` revokes it. */
  handedOff: boolean;
}

export interface Credential {
  token: string;
  /** Its source, for messages. */
  source: string;
  /** Reads it again, for a command that runs for long. */
  renewed?: () => string;
  /** Set if `login` stored it. */
  kept?: { handedOff: boolean };
}

/** One file per origin, so concurrent sign-ins never overwrite each other. */
const pathOf = (origin: string): string => join(configDirectory(), 'credentials', `${encodeURIComponent(origin)}.json`);

function readKept(origin: string): Kept | undefined {
  const path = pathOf(origin);
  const bytes = readIfThere(path);
  if (bytes === undefined) return undefined;
  try {
    const kept: Kept = JSON.parse(bytes.toString());
    // A renamed copy of the file must not send a token to another origin.
    return kept.origin === origin ? kept : undefined;
  } catch {
    throw new Failure(exitCodes.signIn, 'credentials_unreadable', `${path} is not JSON.`, {
      hint: 'Delete it and sign in again: holdfast login',
    });
  }
}

/** Stores a credential for its origin. @returns the location, for messages */
export async function keepCredential(origin: string, token: string, handedOff: boolean): Promise<string> {
  const inKeyring = await keepInKeyring(origin, token);
  const kept: Kept = { origin, ...(inKeyring ? {} : { token }), handedOff };
  const path = pathOf(origin);
  writeOwnFile(path, `${JSON.stringify(kept, null, 2)}\n`);
  return inKeyring ? 'the system’s keyring' : `${path}, readable by you alone`;
}

export async function findKept(origin: string): Promise<Credential | undefined> {
  const kept = readKept(origin);
  if (kept === undefined) return undefined;
  const { token, handedOff } = kept;
  if (token !== undefined) return { token, source: pathOf(origin), kept: { handedOff } };
  const secret = await readKeyring(origin).catch(() => undefined);
  if (secret !== undefined) return { token: secret, source: 'the system’s keyring', kept: { handedOff } };
  throw new Failure(exitCodes.signIn, 'keyring_unavailable', `The keyring did not return the token for ${origin}.`, {
    hint: 'Unlock it, or sign in again: holdfast login',
  });
}

export async function forgetCredential(origin: string): Promise<void> {
  const kept = readKept(origin);
  if (kept === undefined) return;
  if (kept.token === undefined) await deleteFromKeyring(origin).catch(() => undefined);
  rmSync(pathOf(origin), { force: true });
}

function readTokenFile(path: string): Buffer {
  try {
    return readLimited(path);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const problem = code === 'ENOENT' ? 'which does not exist' : `which can’t be read (${code})`;
    throw new Failure(exitCodes.signIn, 'no_token', `HOLDFAST_TOKEN_FILE names ${path}, ${problem}.`);
  }
}

/** The credential in environment variables. It is not bound to an origin. */
function findGiven(): Credential | undefined {
  const { HOLDFAST_TOKEN: token, HOLDFAST_TOKEN_FILE: file } = process.env;
  if (token) return { token: tokenOf(token, 'HOLDFAST_TOKEN'), source: 'HOLDFAST_TOKEN' };
  if (!file) return undefined;
  const read = () => tokenOf(decode(readTokenFile(file), file), file);
  return { token: read(), source: `HOLDFAST_TOKEN_FILE (${file})`, renewed: read };
}

/** @throws Failure for text that a header can't carry; it never quotes the text */
export function tokenOf(text: string, source: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  const problem = token === '' ? 'holds no token' : 'is not a token: it must be one word of printable ASCII characters';
  throw new Failure(exitCodes.signIn, 'no_token', `${source} ${problem}.`);
}

/** A token, or an identity that gets one on demand. */
export type AnyCredential = (Credential & { identity?: undefined }) | IdentityCredential;

/** What a client authenticates with: a token that was rejected may have been replaced in its file. */
export function tokenFor(credential: AnyCredential): string | ((rejected?: string) => string | Promise<string>) {
  if (credential.identity !== undefined || credential.renewed === undefined) return credential.token;
  const { renewed } = credential;
  let { token } = credential;
  return rejected => {
    if (rejected === token) token = renewed();
    return token;
  };
}

/** @throws Failure if the address comes from a repository and the credential is not bound to it */
export async function findCredential(settings: Settings): Promise<AnyCredential | undefined> {
  const url = requireUrl(settings);
  const given = findGiven() ?? findIdentity(url.value, settings.organization?.value);
  if (given === undefined) return await findKept(originOf(url.value));
  if (!url.isCommitted) return given;
  throw new Failure(
    exitCodes.signIn,
    'untrusted_address',
    `${given.source} is not sent to ${originOf(url.value)}: only ${url.source} names that address.`,
    { hint: `If you trust it, say so: HOLDFAST_URL=${url.value}` },
  );
}

export async function requireCredential(settings: Settings): Promise<AnyCredential> {
  const credential = await findCredential(settings);
  if (credential !== undefined) return credential;
  const origin = originOf(requireUrl(settings).value);
  throw new Failure(exitCodes.signIn, 'not_signed_in', `You are not signed in to ${origin}.`, {
    hint: 'Sign in: holdfast login, or set HOLDFAST_TOKEN',
  });
}
