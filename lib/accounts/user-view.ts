import type { User } from '../contracts/auth.ts';
import type { UserRecord } from '../table/records/user.ts';

/** The account as the API shows it. */
export function userView({ id, email, name, emailVerified, isAdmin = false, createdAt }: UserRecord): User {
  return { id, email, name, emailVerified, isAdmin, createdAt };
}
