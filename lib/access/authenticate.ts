import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Access, MemberRule } from '../contracts/contract.ts';
import { ApiError, organizationNotFound } from '../core/errors.ts';
import type { Log } from '../core/logger.ts';
import { headerOf } from '../core/request-source.ts';
import { isOver } from '../core/time.ts';
import { hasValidMac, readCredential, tokenPrefix } from '../crypto/credentials.ts';
import { at, readTogether } from '../table/read.ts';
import { type SessionRecord, sessionRecord, type TokenRecord, tokenRecord } from '../table/records/credentials.ts';
import { type IdentityRights, identityRightsRecord } from '../table/records/identity.ts';
import {
  type MemberRecord,
  memberRecord,
  membershipRecord,
  type OrganizationRecord,
  organizationRecord,
} from '../table/records/organization.ts';
import { type UserRecord, userRecord } from '../table/records/user.ts';
import { credentialKey } from './credential-key.ts';
import { readKeptAccess } from './kept-access.ts';
import { MemberAccess } from './member-access.ts';
import { identityPrincipal, isIdentityId, memberOf, onlyOrganizationOf, type Principal } from './principal.ts';
import { endOfSession, sessionSecretOf } from './session-cookie.ts';

/** A credential that this installation issued; it may have expired or been revoked. */
export interface IssuedCredential {
  method: 'session' | 'token';
  userId: string;
  hash: string;
  /** Only callers with a valid session learn that the header is missing. */
  csrfHeaderMissing: boolean;
  /** Whether the request asks for no more than a token for names only may do. */
  namesOnly: boolean;
}

type PresentedCredential = IssuedCredential & { secret: string };

export const unauthenticated = () =>
  new ApiError('unauthenticated', 'Sign in, or send a valid token in the header Authorization: Bearer <token>.');

/**
 * The credential of a request, if this installation issued it. A forged one costs little, because nothing that the path
 * names is read. An Authorization header takes precedence over a cookie, even if it is malformed.
 * @throws unauthenticated if the route needs a caller and the request has no credential of ours
 */
export async function issuedCredentialOf(event: APIGatewayProxyEventV2, access: Access, log: Log) {
  if (access.kind === 'public') return undefined;
  const presented = readPresented(event);
  if (presented !== undefined && (await wasIssued(presented, log))) {
    const { secret: _, ...issued } = presented;
    return issued;
  }
  if (access.kind === 'optional') return undefined;
  throw unauthenticated();
}

function readPresented(event: APIGatewayProxyEventV2): PresentedCredential | undefined {
  // Whatever its value is, a caller that sends it relies on getting no value of a secret.
  const isNamesOnly = headerOf(event, 'holdfast-access') !== undefined;
  const authorization = headerOf(event, 'authorization');
  if (authorization !== undefined) {
    const secret = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
    const read = readCredential(secret, tokenPrefix);
    if (read === undefined) throw unauthenticated();
    return { method: 'token', csrfHeaderMissing: false, namesOnly: isNamesOnly, secret, ...read };
  }
  const secret = sessionSecretOf(event.cookies) ?? '';
  const read = readCredential(secret);
  const csrfHeaderMissing = lacksCsrfHeader(event);
  return read && { method: 'session', csrfHeaderMissing, namesOnly: isNamesOnly, secret, ...read };
}

/**
 * Checks the MAC, without a read. While KMS can't unwrap the key, or if the MAC may be that of a lost one, looks the
 * credential up instead: one round trip.
 */
async function wasIssued({ method, userId, hash, secret }: PresentedCredential, log: Log): Promise<boolean> {
  try {
    const known = await credentialKey();
    if (known !== undefined && hasValidMac(secret, method === 'token' ? tokenPrefix : '', known.key)) return true;
    if (known?.isReplacement === false) return false;
  } catch (error) {
    log.error('could not read the credential key', error);
  }
  const { session, token } = await readTogether(credentialReads({ method, userId, hash }));
  return session !== undefined || token !== undefined;
}

function credentialReads({ method, userId, hash }: Pick<IssuedCredential, 'method' | 'userId' | 'hash'>) {
  return {
    session: method === 'session' ? at(sessionRecord, userId, hash) : undefined,
    token: method === 'token' ? at(tokenRecord, userId, hash) : undefined,
  };
}

/** Browsers attach cookies on their own, but another origin can't send this header without a CORS preflight. */
function lacksCsrfHeader(event: APIGatewayProxyEventV2): boolean {
  const { method } = event.requestContext.http;
  return !['GET', 'HEAD', 'OPTIONS'].includes(method) && headerOf(event, 'x-requested-with') !== 'service';
}

export interface Caller {
  principal: Principal;
  /** Present on routes of an organization. */
  access: MemberAccess | undefined;
}

/**
 * Identifies the caller and, on routes of an organization, their membership. One round trip if the path has the
 * organization's slug, two for its id. What is revoked, ended or deleted is invalid with the next request.
 * @throws unauthenticated, csrf_header_required, organization_not_found
 */
export async function authenticate(
  issued: IssuedCredential | undefined,
  access: Access,
  params: Readonly<Record<string, string>>,
): Promise<Caller | undefined> {
  if (issued === undefined) return undefined;
  const { userId } = issued;
  const { orgSlug, orgId, project, slug } = access.kind === 'member' ? params : {};
  const reads = {
    ...credentialReads(issued),
    // A session's epoch is compared with its user's; account routes need the account itself.
    user: issued.method === 'session' || access.kind !== 'member' ? at(userRecord, userId) : undefined,
    membership: orgId === undefined ? undefined : at(membershipRecord, userId, orgId),
  };
  // Only machines send so many requests that keeping what was read pays off.
  const { session, token, user, membership, ...stored } =
    orgSlug !== undefined && issued.method === 'token'
      ? await readKeptAccess({ orgSlug, userId, project: params.project }, reads)
      : await readTogether({ ...reads, ...organizationReads(orgSlug, userId) });
  const proven = principalOf(issued, { session, token, user });
  if (proven === undefined) {
    if (access.kind === 'optional') return undefined;
    throw unauthenticated();
  }
  const principal = issued.namesOnly ? { ...proven, namesOnly: true } : proven;
  if (issued.csrfHeaderMissing) {
    const message = 'Changes with the session cookie require the header X-Requested-With: service.';
    throw new ApiError('csrf_header_required', message);
  }
  if (access.kind !== 'member') return { principal, access: undefined };
  const route = { rule: access, orgId, projectSlug: project ?? slug };
  if (membership === undefined) return memberCaller(principal, stored, route);
  const named = await readTogether(organizationReads(membership.orgSlug, userId));
  if (named.organization?.id !== orgId) throw organizationNotFound();
  return memberCaller(principal, named, route);
}

export interface Membership {
  organization: OrganizationRecord | undefined;
  member?: MemberRecord | undefined;
  identity?: IdentityRights | undefined;
}

/** The access rule of a route, and what its path names. */
interface MemberRoute {
  rule: MemberRule;
  orgId?: string | undefined;
  projectSlug: string | undefined;
}

/** The caller in an organization. @throws unauthenticated, organization_not_found */
export function memberCaller(
  principal: Principal,
  { organization, member, identity }: Membership,
  route: MemberRoute,
): Caller {
  const { orgId = organization?.id } = route;
  const { credential } = principal;
  if (credential.method === 'token' && isIdentityId(principal.userId)) {
    const { organizationId, memberId } = credential.token;
    if (organizationId !== orgId) throw organizationNotFound();
    // The token ended with the identity, or with a change of its trust.
    if (organization === undefined || identity === undefined || identity.trustId !== memberId) throw unauthenticated();
    if (organization.status !== 'active') throw organizationNotFound();
    const caller = identityPrincipal(principal, credential.token, identity);
    return { principal: caller, access: new MemberAccess(organization, memberOf(identity), caller, route) };
  }
  if (organization?.status !== 'active' || member === undefined) throw organizationNotFound();
  if ((onlyOrganizationOf(principal) ?? organization.id) !== organization.id) throw organizationNotFound();
  if (credential.method === 'token') {
    const { organizationId, memberId } = credential.token;
    if (organizationId !== null && memberId !== member.id) throw organizationNotFound();
  }
  return { principal, access: new MemberAccess(organization, member, principal, route) };
}

function organizationReads(orgSlug: string | undefined, userId: string) {
  const isIdentity = isIdentityId(userId);
  return {
    organization: orgSlug === undefined ? undefined : at(organizationRecord, orgSlug),
    member: orgSlug === undefined || isIdentity ? undefined : at(memberRecord, orgSlug, userId),
    identity: orgSlug === undefined || !isIdentity ? undefined : at(identityRightsRecord, orgSlug, userId),
  };
}

/** Who presents a credential; undefined if it is no longer valid. */
export function principalOf(
  issued: Pick<IssuedCredential, 'method' | 'hash'>,
  {
    session,
    token,
    user,
  }: { session?: SessionRecord | undefined; token?: TokenRecord | undefined; user?: UserRecord | undefined },
): Principal | undefined {
  const now = Date.now();
  if (issued.method === 'session') {
    if (session === undefined || user === undefined) return undefined;
    if (isOver(endOfSession(session), now) || session.epoch !== user.sessionEpoch) return undefined;
    const credential = { method: 'session', hash: issued.hash, session } as const;
    return { userId: user.id, email: user.email, credential, user };
  }
  if (token === undefined) return undefined;
  if (token.expiryDate !== null && Date.parse(token.expiryDate) <= now) return undefined;
  return { userId: token.userId, email: token.email, credential: { method: 'token', token }, user };
}
