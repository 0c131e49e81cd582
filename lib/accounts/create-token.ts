import { createHash } from 'node:crypto';
import { sessionConfined } from '../access/authorize.ts';
import { hasOwnFactorProved } from '../access/fresh-session.ts';
import { type AccountPrincipal, onlyOrganizationOf, providerOf } from '../access/principal.ts';
import type { AccountContext, RequestContext } from '../access/request-context.ts';
import { sessionIdOf } from '../access/session-cookie.ts';
import { type AuditActor, auditWrite } from '../audit/write.ts';
import type { createToken as contract } from '../contracts/auth/tokens.ts';
import type { BodyOf } from '../contracts/contract.ts';
import { rightsInProject } from '../contracts/fields/role-in-project.ts';
import { dashboardOrigin } from '../core/dashboard-origin.ts';
import { ApiError, environmentNotFound, organizationNotFound, projectNotFound } from '../core/errors.ts';
import { epochSeconds, isOver, isoOfSeconds } from '../core/time.ts';
import { createCredential, equalInConstantTime, readCredential } from '../crypto/credentials.ts';
import { stillActive } from '../organizations/change-counts.ts';
import { equals, isNew, isThere } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list, readTogether } from '../table/read.ts';
import { handOffRecord, sessionRecord, type TokenRecord } from '../table/records/credentials.ts';
import { environmentRecord } from '../table/records/environment.ts';
import {
  memberRecord,
  membershipRecord,
  type OrganizationRecord,
  organizationRecord,
} from '../table/records/organization.ts';
import { projectRecord } from '../table/records/project.ts';
import { hasSecondFactor, isUnchanged, type UserRecord, userRecord } from '../table/records/user.ts';
import { check, put, remove, retryWithFreshRead, transact, update, type Write } from '../table/write.ts';
import { sessionEnded } from './sessions.ts';
import { type IssuedToken, listTokens, newToken, type TokenFacts, tokenWrite } from './tokens.ts';

/** Enough for one person's pipelines, and few enough to list and revoke in one request. */
const maximumTokens = 100;

/** @throws organization_not_found, project_not_found, environment_not_found, token_limit_reached */
export async function createToken(context: AccountContext, requested: RequestedToken): Promise<IssuedToken> {
  const { user, credential } = context.principal;
  const sessionId = credential.method === 'session' ? sessionIdOf(credential) : undefined;
  const [resolved, live] = await Promise.all([resolveToken(context.principal, requested), listTokens(user.id)]);
  return issueToken(context, { user, live, sessionId, ...resolved });
}

interface TokenOrder {
  facts: TokenFacts & { expiresInDays: number | null };
  organization: OrganizationRecord | undefined;
  user: UserRecord;
  /** The user's tokens, which must be read after the account. */
  live: readonly TokenRecord[];
  /** Of the session that asks for it, or that approved it before the command line redeems its code. */
  sessionId: string | undefined;
}

/**
 * Writes a new token if its user is below the limit and the password has not changed since the request was
 * authenticated. The token loses its second-factor flag if the user has removed the factor meanwhile. A token limited
 * to an organization is recorded in its audit log, any other in the log of account events.
 * @throws token_limit_reached, unauthenticated; organization_not_found if the membership has ended meanwhile
 */
async function issueToken(
  { source, log }: RequestContext,
  { facts, organization, sessionId, ...foreseen }: TokenOrder,
  others: readonly Write[] = [],
): Promise<IssuedToken> {
  const { id: userId, email, sessionEpoch } = foreseen.user;
  const issued = await newToken(foreseen.user, facts);
  const { id, name } = issued.cliToken;
  const inOrganization: Write[] = [];
  if (organization !== undefined) {
    // The actor is a person with a session even when the CLI redeems a code: it has no credential yet.
    const actor: AuditActor = { id: userId, email, type: 'session', sessionId };
    const created = { action: 'token.created', target: { type: 'token', id, name } } as const;
    const refused = () => organizationNotFound();
    const isMember = { id: equals(facts.memberId ?? '') };
    inOrganization.push(
      // Of the organization that the token is for, even if another one has its slug by now.
      stillActive({ id: facts.organizationId ?? '', slug: organization.slug }, refused),
      check(at(memberRecord, organization.slug, userId), { if: isMember, refused }),
      await auditWrite(organization, actor, source, created),
    );
  }
  // The account is read first: if another token is created after that, the condition on the account fails.
  const readAgain = async () => ({ user: await find(at(userRecord, userId)), live: await listTokens(userId) });
  const current: { user: UserRecord | undefined; live: readonly TokenRecord[] } = foreseen;
  await retryWithFreshRead(current, readAgain, async ({ user, live }) => {
    if (user?.sessionEpoch !== sessionEpoch) throw sessionEnded();
    if (live.length >= maximumTokens) {
      throw new ApiError('token_limit_reached', `You have ${maximumTokens} tokens. Revoke one you no longer use.`);
    }
    const counted = update(at(userRecord, userId), { add: { creations: 1 } }, { if: isUnchanged(user) });
    const secondFactor = facts.secondFactor && hasSecondFactor(user);
    await transact([
      counted,
      tokenWrite({ ...issued.cliToken, email: user.email, secondFactor }),
      ...others,
      ...inOrganization,
    ]);
  });
  if (organization === undefined) log.account('token_created', { userId, tokenId: id });
  return issued;
}

/** The contract has checked that a narrower limit comes with the wider one. */
type RequestedToken = BodyOf<typeof contract>;

/**
 * Looks up what the token is limited to, in two round trips, if anything. @throws session_confined for a confined
 * session and no limit; organization_not_found, project_not_found, environment_not_found if the user can't see it
 */
async function resolveToken(principal: AccountPrincipal, requested: RequestedToken) {
  const { name, access, projectId = null, environmentId = null, expiresInDays = null } = requested;
  const boundTo = onlyOrganizationOf(principal);
  if (boundTo !== undefined && requested.organizationId === undefined) throw sessionConfined();
  if (boundTo !== undefined && requested.organizationId !== boundTo) throw organizationNotFound();
  const { organization, member } = await resolveScope(principal.userId, requested);
  const scope = { organizationId: organization?.id ?? null, projectId, environmentId, memberId: member?.id ?? null };
  const proof = { secondFactor: hasOwnFactorProved(principal), provider: providerOf(principal) };
  return { facts: { name, access, ...scope, ...proof, expiresInDays }, organization };
}

async function resolveScope(userId: string, { organizationId, projectId, environmentId }: RequestedToken) {
  if (organizationId === undefined) return {};
  const membership = await find(at(membershipRecord, userId, organizationId));
  if (membership === undefined) throw organizationNotFound();
  const { orgSlug } = membership;
  const [{ organization, member }, projects, environments] = await Promise.all([
    readTogether({ organization: at(organizationRecord, orgSlug), member: at(memberRecord, orgSlug, userId) }),
    projectId === undefined ? [] : list(projectRecord, ranges.projects(orgSlug)),
    environmentId === undefined ? [] : list(environmentRecord, ranges.environments(orgSlug)),
  ]);
  if (organization?.id !== organizationId || organization.status !== 'active' || member === undefined) {
    throw organizationNotFound();
  }
  const rights = projectId === undefined ? undefined : rightsInProject(member, projectId, Date.now());
  const project = projects.find(({ id, status }) => rights !== undefined && id === projectId && status === 'active');
  if (projectId !== undefined && project === undefined) throw projectNotFound();
  const environment = environments.find(({ id, status }) => id === environmentId && status === 'active');
  const isInProject = environment !== undefined && environment.projectId === projectId;
  const isSeen = rights?.role !== undefined || rights?.grants.some(grant => grant.environmentId === environmentId);
  if (environmentId !== undefined && !(isInProject && isSeen)) throw environmentNotFound();
  return { organization, member };
}

/**
 * First step of the hand-off: a code that the CLI exchanges for the token, once and within a minute, and the origin
 * that issued it. The origin keeps clients from redeeming the code at another site that lured the user here.
 * @throws unauthenticated without a session; organization_not_found, project_not_found, environment_not_found
 */
export async function offerHandOff(
  { principal }: { principal: AccountPrincipal | undefined },
  requested: RequestedToken & { codeChallenge: string },
): Promise<{ code: string; iss: string; expiresAt: string }> {
  if (principal === undefined) throw new ApiError('unauthenticated', 'Requesting a code requires a session. Sign in.');
  const { userId, user, credential } = principal;
  if (credential.method !== 'session') throw new ApiError('insufficient_scope', 'This requires a session.');
  const [{ facts, organization }, iss] = await Promise.all([resolveToken(principal, requested), dashboardOrigin()]);
  const { secret, hash } = createCredential(userId);
  const expiresAt = epochSeconds() + 60;
  const handOff = {
    ...facts,
    userId,
    sessionEpoch: user.sessionEpoch,
    sessionHash: credential.hash,
    sessionId: sessionIdOf(credential),
    codeChallenge: requested.codeChallenge,
    orgSlug: organization?.slug ?? null,
    expiresAt,
  };
  await transact([put(at(handOffRecord, hash), handOff, { if: isNew })]);
  return { code: secret, iss, expiresAt: isoOfSeconds(expiresAt) };
}

/**
 * Second step: exchanges the code and its verifier (RFC 7636, S256) for the token. A wrong verifier or a changed
 * password uses up the code, and the code ends with the session that requested it.
 * @throws invalid_token, token_limit_reached; organization_not_found if the membership has ended meanwhile
 */
export async function takeHandOff(
  { source, log }: RequestContext,
  { code, codeVerifier }: { code: string; codeVerifier: string },
): Promise<IssuedToken> {
  const claimed = readCredential(code);
  if (claimed === undefined) throw invalidCode();
  const item = at(handOffRecord, claimed.hash);
  const { handOff, user } = await readTogether({ handOff: item, user: at(userRecord, claimed.userId) });
  if (handOff === undefined || user === undefined) throw invalidCode();
  const useUp = remove(item, { if: isThere, refused: invalidCode });
  const challenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const isValid =
    !isOver(handOff.expiresAt) &&
    handOff.sessionEpoch === user.sessionEpoch &&
    equalInConstantTime(challenge, handOff.codeChallenge);
  if (!isValid) {
    await transact([useUp]);
    log.account('handoff_refused', { userId: user.id, ip: source.ip });
    throw invalidCode();
  }
  const { orgSlug, sessionHash, sessionId, expiresAt: _, ...facts } = handOff;
  const isSignedIn = check(at(sessionRecord, user.id, sessionHash), { if: isThere, refused: invalidCode });
  // Read after the account, so that the condition on the account covers this read.
  const live = await listTokens(user.id);
  const organization = orgSlug === null ? undefined : await find(at(organizationRecord, orgSlug));
  if (orgSlug !== null && organization === undefined) throw invalidCode();
  return issueToken({ source, log }, { user, live, facts, organization, sessionId }, [useUp, isSignedIn]);
}

const invalidCode = () => new ApiError('invalid_token', 'This code is not valid: it is unknown, used or expired.');
