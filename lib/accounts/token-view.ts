import type { CliToken } from '../contracts/auth.ts';
import type { TokenRecord } from '../table/records/token.ts';

/** A token as the API shows it, without its hash. */
export function tokenView(token: TokenRecord): CliToken {
  const { id, name, prefix, access, organizationId, projectId, environmentId, createdAt, lastUsedAt } = token;
  return {
    id,
    name,
    prefix,
    access,
    organizationId,
    projectId,
    environmentId,
    createdAt,
    lastUsedAt,
    expiresAt: token.expiryDate,
  };
}
