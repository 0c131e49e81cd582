import type { OwnUser } from '../contracts/auth/get-current-user.ts';
import type { CliToken } from '../contracts/auth/token.ts';
import type { User } from '../contracts/auth/user.ts';
import type { TokenRecord } from '../table/records/token.ts';
import type { UserRecord } from '../table/records/user.ts';

/** The account as the API shows it. */
export function userView({ id, email, name, emailVerified, isAdmin = false, createdAt }: UserRecord): User {
  return { id, email, name, emailVerified, isAdmin, createdAt };
}

/** The account as its own user sees it. */
export function ownUserView(user: UserRecord): OwnUser {
  const { passkeyCount = 0, totp, recoveryCodes } = user;
  return {
    ...userView(user),
    secondFactors: {
      passkeys: passkeyCount,
      totp: totp !== undefined,
      recoveryCodesLeft: recoveryCodes?.size ?? 0,
    },
  };
}

/** A token as the API shows it, without its hash. */
export function tokenView({ hash: _, expiryDate, ...token }: TokenRecord): CliToken {
  return { ...token, expiresAt: expiryDate };
}
