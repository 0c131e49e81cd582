import { randomUUID } from 'node:crypto';
import { ApiError } from '../core/errors.ts';
import { isNew } from '../table/expressions.ts';
import { at } from '../table/read.ts';
import { emailRecord, freeAddress, type UserRecord, userRecord } from '../table/records/user.ts';
import { put, type Write } from '../table/write.ts';

interface NewAccount {
  /** Only if the person has had it elsewhere. */
  id?: string;
  email: string;
  name?: string | undefined;
  passwordHash: string;
}

/** A new account with an unverified address, as writes. The caller adds it to the platform's count. */
export function newAccount(
  { id = randomUUID(), email, name, passwordHash }: NewAccount,
  refused?: () => Error,
): { user: UserRecord; writes: Write[] } {
  const user: UserRecord = {
    id,
    email,
    name: name ?? (email.split('@')[0] as string),
    emailVerified: false,
    passwordHash,
    sessionEpoch: 0,
    creations: 0,
    createdAt: new Date().toISOString(),
  };
  const address = put(at(emailRecord, email), { userId: user.id }, { if: freeAddress(), refused });
  return { user, writes: [address, put(at(userRecord, user.id), user, { if: isNew })] };
}

export const emailTaken = () => new ApiError('email_taken', 'An account with this e-mail address already exists.');
