import { type AuditActor, auditWrite } from '../audit/write.ts';
import { chunksOf } from '../core/chunks-of.ts';
import type { RequestSource } from '../core/request-source.ts';
import { isThere } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, readAll } from '../table/read.ts';
import { membershipRecord } from '../table/records/member.ts';
import { type OrganizationRecord, organizationRecord } from '../table/records/organization.ts';
import { type TokenRecord, tokenRecord } from '../table/records/token.ts';
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

interface NewPassword {
  user: UserRecord;
  passwordHash: string;
  /** Tokens to revoke along with it: all of the user's, or none. */
  held: HeldTokens | undefined;
  source: RequestSource;
  /** Other writes for the same transaction. */
  others: readonly Write[];
  /** The account's second factors, if they change as well. */
  decide?: (user: UserRecord) => Promise<FactorsGone>;
  /** Set if the user recovers the account with a mailed link. */
  recovers?: true;
  /** The error if the password has changed in the meantime. */
  overtaken: () => Error;
}

/** Sets a new password, which ends every session and reset link of the account with the same write. */
export async function setPassword({
  user,
  passwordHash,
  held,
  source,
  others,
  decide,
  recovers,
  overtaken,
}: NewPassword) {
  await endSessions({
    user,
    held,
    source,
    decide: async current => {
      if (current.sessionEpoch !== user.sessionEpoch) throw overtaken();
      const { set = {}, writes = [] } = (await decide?.(current)) ?? {};
      // The link proves the address, too.
      const verified = recovers === true ? { emailVerified: true } : {};
      return { set: { ...set, ...verified, passwordHash }, writes: [...writes, ...others] };
    },
    recovers,
    gone: overtaken,
  });
}

/** The account's factors to remove, and what else that changes. */
export interface FactorsGone {
  set: Factors & Partial<Pick<UserRecord, 'factorChange' | 'emailVerified'>>;
  writes: Write[];
}

interface EndedSessions {
  user: UserRecord;
  held: HeldTokens | undefined;
  source: RequestSource;
  /** What else to change on the account, given its current state, and the other writes of the transaction. */
  decide: (user: UserRecord) => Promise<{
    set: FactorsGone['set'] & Partial<Pick<UserRecord, 'passwordHash' | 'emailVerified'>>;
    writes: Write[];
  }>;
  /** Also ends every link to a provider: whoever recovers an account ends every way in that others may have made. */
  recovers: true | undefined;
  /** The error if the account no longer exists. */
  gone: () => Error;
}

/**
 * Ends every session and reset link of the account by raising its epoch, and revokes the `held` tokens. Tokens that do not
 * fit in the transaction are revoked just before it. If a token is created meanwhile, the transaction fails and everything
 * is read again, so none remains.
 */
export async function endSessions({
  user: before,
  held,
  source,
  decide,
  recovers,
  gone,
}: EndedSessions): Promise<void> {
  const readAgain = () => readAccount(before.id, held !== undefined);
  await retryWithFreshRead<AccountRead, void>({ user: before, held }, readAgain, async now => {
    if (now.user === undefined) throw gone();
    const { set, writes } = await decide(now.user);
    const account = {
      set: { ...set, sessionEpoch: now.user.sessionEpoch + 1 },
      ...(recovers === true ? { add: { linkEpoch: 1 } } : {}),
    };
    const unchanged = { ...factorsUnchanged(now.user), ...isUnchanged(now.user) };
    const last = [update(at(userRecord, before.id), account, { if: unchanged }), ...writes];
    await transactAfter(await revocationsOf(now.user, now.held, source), last);
  });
}

/** Makes the last writes, and with or before them each group of the earlier ones, which belong together. */
export async function transactAfter(groups: readonly Write[][], last: Write[]): Promise<void> {
  const earlier: Write[][] = [];
  for (const group of groups) {
    const fits = [last, ...earlier].find(one => one.length + group.length <= maximumWritesPerTransaction);
    if (fits === undefined) earlier.push(group);
    else fits.push(...group);
  }
  for (const some of chunksOf(10, earlier)) await Promise.all(some.map(one => transact(one)));
  await transact(last);
}

interface AccountRead {
  user: UserRecord | undefined;
  held: HeldTokens | undefined;
}

/** Reads the account first: creating a token afterwards then fails the condition on the account. */
async function readAccount(userId: string, withTokens: boolean): Promise<AccountRead> {
  const user = await find(at(userRecord, userId));
  return { user, held: withTokens ? await readHeldTokens(userId) : undefined };
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
