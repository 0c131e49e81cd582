import { randomUUID } from 'node:crypto';
import { ranges } from '../../table/keys.ts';
import { list } from '../../table/read.ts';
import type { Factor } from '../../table/records/link.ts';
import { type PasskeyRecord, passkeyRecord } from '../../table/records/passkey.ts';
import { hasSecondFactor, type UserRecord } from '../../table/records/user.ts';
import type { FactorsGone } from '../set-password.ts';
import { oneLess, removalOf } from './passkey-removal.ts';
import { isSame } from './totp-secret.ts';

const none = { passkeyCount: undefined, totp: undefined, pendingTotp: undefined };
const noCodes = { recoveryCodes: undefined, recoveryCodesFrom: undefined };

/** Removes all of the account's second factors. Reads nothing if it has none. */
export async function allFactorsGone(user: UserRecord): Promise<FactorsGone> {
  const passkeys = user.passkeyCount === undefined ? [] : await list(passkeyRecord, ranges.passkeys(user.id));
  return {
    set: { ...none, ...noCodes, factorChange: nextChange(user) },
    writes: passkeys.flatMap(passkey => removalOf(passkey)),
  };
}

/**
 * Removes one factor, if the account still has it, and the recovery codes created with it or later.
 * @param change the number of the change that added the factor
 * @param passkey what is stored under the factor's credential
 */
export function factorGone(
  user: UserRecord,
  factor: Factor,
  change: number,
  passkey: PasskeyRecord | undefined,
): FactorsGone {
  const isPasskey = factor.method === 'passkey' && passkey?.id === factor.id;
  const isApp = factor.method === 'totp' && isSame(factor.sealed, user.totp?.sealed);
  const left = {
    passkeyCount: isPasskey ? oneLess(user.passkeyCount) : user.passkeyCount,
    totp: isApp ? undefined : user.totp,
  };
  const keepsCodes = hasSecondFactor(left) && (user.recoveryCodesFrom ?? 0) < change;
  return {
    set: { ...left, pendingTotp: undefined, ...(keepsCodes ? {} : noCodes), factorChange: nextChange(user) },
    writes: isPasskey && passkey !== undefined ? removalOf(passkey) : [],
  };
}

const nextChange = ({ factorChange }: UserRecord) => ({ number: (factorChange?.number ?? 0) + 1, id: randomUUID() });
