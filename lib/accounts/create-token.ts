import type { AccountContext } from '../access/request-context.ts';
import { transact } from '../table/store.ts';
import { type IssuedToken, newToken } from './new-token.ts';
import { resolveTokenScope, scopeHolds, type WantedToken } from './token-scope.ts';

/**
 * Creates a bearer token. One that is limited to an organization is recorded in that organization's audit log, any
 * other in the log of account events.
 * @throws organization_not_found, project_not_found, environment_not_found
 */
export async function createToken(context: AccountContext, wanted: WantedToken): Promise<IssuedToken> {
  const { principal } = context;
  const scope = await resolveTokenScope(principal.userId, wanted);
  const { write, ...issued } = newToken(
    { id: principal.userId, email: principal.email },
    {
      name: wanted.name,
      access: wanted.access,
      organizationId: scope?.organization.id ?? null,
      projectId: wanted.projectId ?? null,
      environmentId: wanted.environmentId ?? null,
      memberId: scope?.member.id ?? null,
      expiresInDays: wanted.expiresInDays ?? null,
    },
  );
  const { id, name } = issued.cliToken;
  if (scope === undefined) {
    await transact([write]);
    context.log.account('token_created', { userId: principal.userId, tokenId: id });
    return issued;
  }
  const { organization, member } = scope;
  await transact([
    write,
    ...scopeHolds({
      orgSlug: organization.slug,
      organizationId: organization.id,
      userId: principal.userId,
      memberId: member.id,
    }),
    await context.auditIn(organization, {
      action: 'token.created',
      target: { type: 'token', id, name },
    }),
  ]);
  return issued;
}
