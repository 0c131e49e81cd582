import { existsSync } from 'node:fs';

const service = 'holdfast';
/** A locked keyring shows a prompt, but there may be no display. */
const patienceMs = 15_000;

interface Entry {
  getPassword(signal?: AbortSignal): Promise<string | null | undefined>;
  setPassword(password: string, signal?: AbortSignal): Promise<void>;
  deletePassword(signal?: AbortSignal): Promise<boolean>;
}

/** The system's keyring for one account, loaded on demand. @returns undefined if there is none */
async function entryOf(account: string): Promise<Entry | undefined> {
  if (process.env.HOLDFAST_KEYRING === 'off' || !hasSessionBus()) return undefined;
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring');
    // The default falls back to the kernel's keyring, which is lost on reboot.
    return new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
  } catch {
    return undefined;
  }
}

/** Without a session bus there is no secret service, and looking for one is slow. */
function hasSessionBus(): boolean {
  if (process.platform !== 'linux') return true;
  const { DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR } = process.env;
  return Boolean(DBUS_SESSION_BUS_ADDRESS) || (Boolean(XDG_RUNTIME_DIR) && existsSync(`${XDG_RUNTIME_DIR}/bus`));
}

/** @returns false if it can't be stored there */
export async function keepInKeyring(account: string, secret: string): Promise<boolean> {
  try {
    const entry = await entryOf(account);
    if (entry === undefined) return false;
    await entry.setPassword(secret, AbortSignal.timeout(patienceMs));
    return (await entry.getPassword(AbortSignal.timeout(patienceMs))) === secret;
  } catch {
    return false;
  }
}

export async function readKeyring(account: string): Promise<string | undefined> {
  const entry = await entryOf(account);
  return (await entry?.getPassword(AbortSignal.timeout(patienceMs))) ?? undefined;
}

export async function deleteFromKeyring(account: string): Promise<void> {
  await (await entryOf(account))?.deletePassword(AbortSignal.timeout(patienceMs));
}
