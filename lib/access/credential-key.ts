import { generateDataKey, kmsDecrypt } from '../crypto/kms.ts';
import { isNew } from '../table/expressions.ts';
import { at, readTogether } from '../table/read.ts';
import { credentialKeyRecord } from '../table/records/credential-key.ts';
import { put, transactIfHolds } from '../table/write.ts';

/*
 * The key of the MAC that shows which sessions and tokens this installation issued. It is stored in the table, wrapped by
 * KMS, and each process unwraps it once. It grants nothing: a credential forged with it is looked up and not found.
 */
const context = { purpose: 'credentials' };
const item = at(credentialKeyRecord);

let unwrapped: Promise<Uint8Array | undefined> | undefined;

/** The installation's credential key; undefined until something has been issued. */
export async function credentialKey(): Promise<Uint8Array | undefined> {
  unwrapped ??= readKey();
  return forgettingFailures(unwrapped);
}

/** The same for code that issues credentials: the first call creates the key. */
export async function issuingKey(): Promise<Uint8Array> {
  const key = await credentialKey();
  if (key !== undefined) return key;
  const { wrapped } = await generateDataKey(context);
  // If another process was first, its key is the one to use.
  await transactIfHolds([put(item, { wrapped }, { if: isNew })]);
  const made = await credentialKey();
  if (made === undefined) throw new Error('The credential key was stored but cannot be read.');
  return made;
}

async function readKey(): Promise<Uint8Array | undefined> {
  const { stored } = await readTogether({ stored: item });
  return stored && kmsDecrypt(stored.wrapped, context);
}

async function forgettingFailures(reading: Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> {
  const forget = () => {
    if (unwrapped === reading) unwrapped = undefined;
  };
  try {
    const key = await reading;
    if (key === undefined) forget();
    return key;
  } catch (error) {
    forget();
    throw error;
  }
}
