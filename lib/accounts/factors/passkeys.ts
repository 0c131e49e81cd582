import { randomUUID } from 'node:crypto';
import type { AccountContext } from '../../access/request-context.ts';
import { requireVerifiedEmail } from '../../access/verified-email.ts';
import type { NewPasskeyCredential, Passkey } from '../../contracts/auth/passkeys.ts';
import { ApiError, invalidRequest } from '../../core/errors.ts';
import { isNew } from '../../table/expressions.ts';
import { ranges } from '../../table/keys.ts';
import { at, find, list } from '../../table/read.ts';
import { type PasskeyRecord, passkeyOwnerRecord, passkeyRecord, type UserRecord } from '../../table/records/user.ts';
import { put, transact } from '../../table/write.ts';
import { newChallenge, openAgain, presentedChallenge, useUpChallenge } from './challenge.ts';
import { addFactor, changeFactors, epochAfterAddition, ownAddition } from './change-factors.ts';
import { creationOptions } from './passkey-options.ts';
import { type Membership, oneLess, readBeforeRemoval, removalOf } from './remove-factors.ts';
import { verifyNewPasskey } from './verify-passkey.ts';

/** Enough for one person's devices, and few enough to list in a challenge. */
const maximumPasskeys = 20;

/** A challenge for a new passkey. @throws email_not_verified */
export async function startPasskey(context: AccountContext) {
  const { user } = context.principal;
  requireVerifiedEmail(user);
  const { challenge, write } = newChallenge('new-passkey', user);
  const [passkeys] = await Promise.all([list(passkeyRecord, ranges.passkeys(user.id)), transact([write])]);
  return { challenge, publicKey: await creationOptions(challenge, user, passkeys) };
}

/**
 * @throws email_not_verified; invalid_token for the challenge; invalid_request if the passkey does not verify, the
 * account already has it, or it has too many; passkey_taken; rate_limited
 */
export async function addPasskey(
  context: AccountContext,
  { challenge, name, passkey: sent }: { challenge: string; name: string; passkey: NewPasskeyCredential },
): Promise<{ passkey: Passkey; recoveryCodes: string[] | undefined }> {
  const { user } = context.principal;
  requireVerifiedEmail(user);
  const presented = presentedChallenge(challenge);
  const issued = await find(presented.read);
  const useUp = useUpChallenge(presented, issued, 'new-passkey', user);
  const verified = await verifyNewPasskey(sent, challenge);
  if (verified === undefined) throw invalidRequest([{ path: 'passkey', message: 'does not answer the challenge' }]);
  const passkey: PasskeyRecord = {
    ...verified,
    id: randomUUID(),
    userId: user.id,
    name,
    transports: sent.response.transports ?? [],
    createdAt: new Date().toISOString(),
    lastUsedAt: null,
    ...ownAddition,
  };
  const { id, credentialId } = passkey;
  const refused = (holder: { userId?: string } | undefined) =>
    holder?.userId === user.id
      ? invalidRequest([{ path: 'passkey', message: 'is already one of yours' }])
      : new ApiError('passkey_taken', 'This passkey belongs to another account.');
  const recoveryCodes = await addFactor(context, 'passkey_added', current => {
    const { passkeyCount = 0 } = current;
    if (passkeyCount >= maximumPasskeys) {
      throw invalidRequest([{ path: '', message: `you have ${maximumPasskeys} passkeys; remove one first` }]);
    }
    return {
      added: { method: 'passkey', id, credentialId },
      factors: { passkeyCount: passkeyCount + 1 },
      writes: [
        useUp,
        put(at(passkeyOwnerRecord, credentialId), { userId: user.id }, { if: isNew, refused }),
        put(at(passkeyRecord, user.id, credentialId), passkey, { if: isNew, refused }),
      ],
      undo: [...removalOf(passkey), ...openAgain(presented, issued, epochAfterAddition(current))],
    };
  });
  return { passkey: passkeyView(passkey), recoveryCodes };
}

/** The user's passkeys, newest first. */
export async function listPasskeys({ principal: { user } }: AccountContext): Promise<Passkey[]> {
  return (await list(passkeyRecord, ranges.passkeys(user.id)))
    .map(passkeyView)
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt) || a.id.localeCompare(b.id));
}

/** @throws passkey_not_found */
export async function removePasskey(context: AccountContext, passkeyId: string, memberships: readonly Membership[]) {
  const { user } = context.principal;
  const readAgain = () => readBeforeRemoval(user.id, memberships);
  const [passkeys, foreseen] = await Promise.all([list(passkeyRecord, ranges.passkeys(user.id)), readAgain()]);
  const passkey = passkeys.find(({ id }) => id === passkeyId);
  const isGone = () => new ApiError('passkey_not_found', 'You have no passkey with this identifier.');
  if (passkey === undefined) throw isGone();
  const writes = removalOf(passkey, isGone);
  const decide = ({ passkeyCount }: UserRecord) => ({ factors: { passkeyCount: oneLess(passkeyCount) }, writes });
  await changeFactors(context, 'passkey_removed', decide, { removal: { foreseen, readAgain } });
}

function passkeyView({ id, name, createdAt, lastUsedAt, counterWentBackAt }: PasskeyRecord): Passkey {
  return { id, name, createdAt, lastUsedAt, counterWentBackAt: counterWentBackAt ?? null };
}
