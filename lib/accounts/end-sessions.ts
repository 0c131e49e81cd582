import { type AuditActor, auditWrite } from '../audit/write.ts';
import { chunksOf } from '../core/chunks-of.ts';
import type { RequestSource } from '../core/request-source.ts';
import { isThere } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, readAll } from '../table/read.ts';
import { type TokenRecord, tokenRecord } from '../table/records/credentials.ts';
import { membershipRecord, type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import { type Factors, factorsUnchanged, isUnchanged, type UserRecord, userRecord } from '../table/records/user.ts';
import {
  maximumWritesPerTransaction,
  remove,
  retryWithFreshRead,
  transact,
  update,
  type Write,
} from '../table/write.ts';

/** A user's tokens, and the organizations that some of them are limited to. */
export interface HeldTokens {
  tokens: TokenRecord[];
  organizations: ReadonlyMap<string, OrganizationRecord>;
}

/** Takes two round trips. */
export async function readHeldTokens(userId: string): Promise<HeldTokens> {
  const [tokens, memberships] = await Promise.all([
    list(tokenRecord, ranges.tokens(userId)),
    list(membershipRecord, ranges.memberships(userId)),
  ]);
  const limits = new Set(tokens.map(({ organizationId }) => organizationId));
  const named = memberships.filter(({ organizationId }) => limits.has(organizationId));
  const organizations = await readAll(named.map(({ orgSlug }) => at(organizationRecord, orgSlug)));
  const active = organizations.flatMap(organization =>
    organization?.status === 'active' ? [[organization.id, organization] as const] : [],
  );
  return { tokens, organizations: new Map(active) };
}

/** A change of the account, with the other writes of the transaction. */
export interface AccountChange {
  set: Factors & Partial<Pick<UserRecord, 'factorChange' | 'emailVerified' | 'passwordHash'>>;
  writes: Write[];
}

export interface EndedSessions {
  user: UserRecord;
  /** Tokens to revoke as well: all of the user's, or none. */
  held: HeldTokens | undefined;
  source: RequestSource;
  /** The other changes, given the account's current state. */
  decide: (user: UserRecord) => Promise<AccountChange>;
  /** Also ends every link to a provider: a recovery ends every way in that others may have created. */
  recovers?: true;
  /** The error if the account no longer exists. */
  gone: () => Error;
}

/**
 * Ends every session and reset link of the account by raising its epoch, and revokes the `held` tokens, those that do
 * not fit in the transaction just before it. If a token is created meanwhile, everything is read again, so none
 * remains.
 */
export async function endSessions({ user, held, source, decide, recovers, gone }: EndedSessions): Promise<void> {
  const { id } = user;
  // The account is read first: creating a token afterwards then fails the condition on it.
  const readAgain = async () => ({
    user: await find(at(userRecord, id)),
    held: held === undefined ? undefined : await readHeldTokens(id),
  });
  const foreseen: Awaited<ReturnType<typeof readAgain>> = { user, held };
  await retryWithFreshRead(foreseen, readAgain, async current => {
    if (current.user === undefined) throw gone();
    const { set, writes } = await decide(current.user);
    const changes = {
      set: { ...set, sessionEpoch: current.user.sessionEpoch + 1 },
      add: recovers === true ? { linkEpoch: 1 } : {},
    };
    const unchanged = { ...factorsUnchanged(current.user), ...isUnchanged(current.user) };
    const account = update(at(userRecord, id), changes, { if: unchanged });
    await transactAfter(await revocationsOf(current.user, current.held, source), [account, ...writes]);
  });
}

/** Makes the last writes, and with or before them each group of the earlier ones, which belong together. */
export async function transactAfter(groups: readonly Write[][], last: Write[]): Promise<void> {
  const earlier: Write[][] = [];
  for (const group of groups) {
    const withSpace = [last, ...earlier].find(writes => writes.length + group.length <= maximumWritesPerTransaction);
    if (withSpace === undefined) earlier.push(group);
    else withSpace.push(...group);
  }
  for (const chunk of chunksOf(10, earlier)) await Promise.all(chunk.map(transact));
  await transact(last);
}

/** The writes that revoke each token: its removal, and an audit entry if it is limited to an organization. */
export async function revocationsOf(
  user: UserRecord,
  held: HeldTokens | undefined,
  source: RequestSource,
): Promise<Write[][]> {
  const actor: AuditActor = { id: user.id, email: user.email, type: 'session' };
  return Promise.all(
    (held?.tokens ?? []).map(async ({ id, name, hash, organizationId }) => {
      const revocation = remove(at(tokenRecord, user.id, hash), { if: isThere });
      const organization = held?.organizations.get(organizationId ?? '');
      if (organization === undefined) return [revocation];
      const facts = { action: 'token.revoked', target: { type: 'token', id, name } } as const;
      return [revocation, await auditWrite(organization, actor, source, facts)];
    }),
  );
}
