import { randomBytes, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { changedFields } from '../access/changed-fields.ts';
import { secondFactorMissing } from '../access/fresh-session.ts';
import type { MemberContext } from '../access/request-context.ts';
import { requireVerifiedMember } from '../access/verified-email.ts';
import type { BodyOf } from '../contracts/contract.ts';
import type { AuditDetails } from '../contracts/fields/audit-action.ts';
import type { setSignIn as contract } from '../contracts/organizations/sign-in-settings.ts';
import { invalidRequest, organizationNotFound } from '../core/errors.ts';
import { isSharedIssuer } from '../identities/shared-issuers.ts';
import { breakGlassOwner, listOwners, listUnsettled } from '../organizations/break-glass.ts';
import { auditText } from '../organizations/members/project-roles.ts';
import { requirePlace } from '../organizations/members/read-roster.ts';
import { targetProblem } from '../outbound/target.ts';
import { renewedRevision } from '../table/access-revision.ts';
import { equals, isNew, isThere } from '../table/expressions.ts';
import { ranges } from '../table/keys.ts';
import { at, find, list } from '../table/read.ts';
import { sessionRecord } from '../table/records/credentials.ts';
import { organizationRecord } from '../table/records/organization.ts';
import { type ProjectKeys, projectKeysRecord } from '../table/records/project.ts';
import { domainRecord, type SignInRecord, signInRecord } from '../table/records/sign-in.ts';
import { put, remove, retryWithFreshRead, transact, update, type Write } from '../table/write.ts';
import { copyEarlierSignIns } from './earlier-sign-ins.ts';
import { findSignIn, ownSignIn, readSignIn, sealClientSecret, signInTarget } from './provider.ts';

type Requested = BodyOf<typeof contract>;

/** Two round trips, in parallel with authentication. @throws organization_not_found */
export async function readBeforeSetting(organizationId: string, requested: Requested) {
  return readSetting(await requirePlace(organizationId), requested);
}

type BeforeSetting = Awaited<ReturnType<typeof readSetting>>;

async function readSetting(place: { slug: string; id: string }, { required, roleRules }: Requested) {
  const namesProjects = roleRules.some(({ projectId }) => projectId !== undefined);
  const [stored, owners, projects] = await Promise.all([
    find(at(signInRecord, place.slug)),
    required ? listOwners(place) : [],
    namesProjects ? list(projectKeysRecord, ranges.projects(place.slug)) : [],
  ]);
  return { stored, signIn: ownSignIn(stored, place.id), owners, projects };
}

/**
 * Sets the organization's sign-in provider. Writes nothing if nothing changes.
 * @throws invalid_request for an issuer that the service must not contact, and for a rule about a project that is not
 * there; email_not_verified; second_factor_required
 * if the provider is required and no owner could get in without it
 */
export async function setSignIn(context: MemberContext, requested: Requested, foreseen: BeforeSetting) {
  const { organization } = context;
  requireAcceptable(requested);
  requireVerifiedMember(context);
  const readAgain = () => readSetting(organization, requested);
  return retryWithFreshRead(foreseen, readAgain, async current => {
    const { stored, signIn: previous } = current;
    const roleRules = storedRules(requested, current.projects);
    const requirement = requirementWrites(context, requested, current);
    // Without a listener, a refusal would end the process while the secret is sealed; the `await` below throws it.
    requirement.catch(() => undefined);
    const after = await signInAfter(organization.id, { ...requested, roleRules }, previous);
    const details = detailsOf(previous, after);
    if (previous !== undefined && details === undefined) return previous;
    if (after.recheckDays !== undefined && previous?.recheckDays === undefined) await copyEarlierSignIns(organization);
    // An earlier holder of the slug left its own if it was erased by a version that did not know providers.
    const unchanged = stored === undefined ? isNew : { version: equals(stored.version) };
    await transact([
      put(at(signInRecord, organization.slug), after, { if: unchanged }),
      ...(await requirement),
      shownOnOrganization(organization, after),
      ...freedDomains(previous, after),
      await context.audit({ action: 'sign_in.configured', target: signInTarget(after), details }),
    ]);
    return after;
  });
}

/** @throws invalid_request for an issuer that the service must not contact, or must not trust that much */
function requireAcceptable({ issuer, trustEmail }: Requested): void {
  const problem = targetProblem(issuer);
  if (problem !== undefined) throw invalidRequest([{ path: 'issuer', message: problem }]);
  if (!trustEmail || !isSharedIssuer(issuer)) return;
  const message =
    'needs an issuer that belongs to your company alone; Entra ID’s must name your tenant, as in ' +
    'https://login.microsoftonline.com/<tenant id>/v2.0';
  throw invalidRequest([{ path: 'trustEmail', message }]);
}

/** The rules with the slugs of their projects. @throws invalid_request for a project that is not there */
function storedRules({ roleRules }: Requested, projects: readonly ProjectKeys[]): SignInRecord['roleRules'] {
  const slugs = new Map(projects.flatMap(({ id, slug, status }) => (status === 'active' ? [[id, slug] as const] : [])));
  const unknown = roleRules.flatMap(({ projectId }, index) =>
    projectId === undefined || slugs.has(projectId)
      ? []
      : [{ path: `roleRules.${index}.projectId`, message: 'must be a project of the organization' }],
  );
  if (unknown.length > 0) throw invalidRequest(unknown);
  const rules = roleRules.map(rule => {
    const projectSlug = rule.projectId === undefined ? undefined : slugs.get(rule.projectId);
    return projectSlug === undefined ? rule : { ...rule, projectSlug };
  });
  return rules.length === 0 ? undefined : rules;
}

type ToStore = Omit<Requested, 'roleRules'> & Pick<SignInRecord, 'roleRules'>;

async function signInAfter(
  organizationId: string,
  { issuer, clientId, clientSecret, domains, recheckDays, ...others }: ToStore,
  previous: SignInRecord | undefined,
): Promise<SignInRecord> {
  const kept = previous?.issuer === issuer && previous.clientId === clientId ? previous : undefined;
  const newDomain = (domain: string) => ({ domain, token: randomBytes(20).toString('hex'), verifiedAt: null });
  const client = { organizationId, issuer, clientId };
  return {
    ...client,
    version: randomUUID(),
    clientVersion: kept?.clientVersion ?? randomUUID(),
    sealedSecret: clientSecret === undefined ? kept?.sealedSecret : await sealClientSecret(clientSecret, client),
    // The proof was for another issuer or client: whoever has changed that must prove that the domain is theirs, too.
    domains: domains.map(domain => kept?.domains.find(own => own.domain === domain) ?? newDomain(domain)),
    ...others,
    recheckDays: recheckDays ?? undefined,
    requiredAt: requiredSince(others.required, previous),
    updatedAt: new Date().toISOString(),
  };
}

/** A change of something else doesn't renew the time: factors that were added in between would then break glass. */
function requiredSince(required: boolean, previous: SignInRecord | undefined): string | undefined {
  if (!required) return undefined;
  return previous?.required === true ? previous.requiredAt : new Date().toISOString();
}

const fieldNames = [
  'issuer',
  'clientId',
  'domains',
  'defaultRole',
  'required',
  'trustFactor',
  'trustEmail',
  'acceptRoundTrip',
  'recheckDays',
] as const;

/** The changes, for the audit log; undefined if there are none. Of the secret, it says only that it has changed. */
function detailsOf(previous: SignInRecord | undefined, after: SignInRecord): AuditDetails | undefined {
  const changed = changedFields(previous === undefined ? {} : fieldsOf(previous), fieldsOf(after), fieldNames);
  const hasNewSecret = previous?.sealedSecret !== after.sealedSecret;
  const hasNewRules = !isDeepStrictEqual(previous?.roleRules, after.roleRules);
  if (changed === undefined && !hasNewSecret && !hasNewRules) return undefined;
  return {
    ...changed,
    ...(hasNewSecret ? { clientSecret: 'changed' } : {}),
    ...(hasNewRules ? { roleRules: { from: rulesInWords(previous), to: rulesInWords(after) } } : {}),
  };
}

/** The two that items of earlier releases lack are false there. */
function fieldsOf({ domains, trustEmail = false, acceptRoundTrip = false, ...signIn }: SignInRecord) {
  return { ...signIn, trustEmail, acceptRoundTrip, domains: domains.map(({ domain }) => domain).join(' ') };
}

/** Such as `groups=platform: developer, admin in web-shop`. */
function rulesInWords(signIn: Pick<SignInRecord, 'roleRules'> | undefined): string | null {
  if (signIn?.roleRules === undefined) return null;
  const texts = signIn.roleRules.map(({ claim, value, role, limited, projectRole, projectSlug }) => {
    const inProject = projectRole === undefined ? undefined : `${projectRole} in ${projectSlug}`;
    const given = [role, limited === true ? 'limited' : undefined, inProject].filter(part => part !== undefined);
    return `${claim}=${value}: ${given.join(', ')}`;
  });
  return auditText(texts.join('; '));
}

/**
 * If all factors of the owner who requires the provider are settled, their session has broken glass in the
 * organization, so it stays valid there.
 * @throws second_factor_required, also from the transaction
 */
async function requirementWrites(
  { organization, principal: { userId, credential } }: MemberContext,
  { required }: Requested,
  { signIn: previous, owners }: BeforeSetting,
): Promise<Write[]> {
  if (!required) return [];
  const message =
    'At least one owner needs a passkey, or a password and an authenticator app, in case the provider fails.';
  const remaining = await breakGlassOwner(organization, owners, () => secondFactorMissing(message));
  if (credential.method !== 'session' || previous?.required === true) return remaining;
  const { secondFactor, provider, brokeGlassIn = [] } = credential.session;
  const breaksGlass = secondFactor && provider === undefined && (await listUnsettled(userId)).length === 0;
  if (!breaksGlass) return remaining;
  const set = { brokeGlassIn: [...brokeGlassIn, organization.id] };
  return [...remaining, update(at(sessionRecord, userId, credential.hash), { set }, { if: isThere })];
}

/** Copies to the organization what each of its requests needs of the provider, or clears that. */
function shownOnOrganization({ id, slug }: { id: string; slug: string }, signIn?: SignInRecord): Write {
  const set = {
    requireProvider: signIn?.required === true ? true : undefined,
    providerRequiredAt: signIn?.requiredAt,
    trustProviderFactor: signIn?.trustFactor === true ? true : undefined,
    providerVersion: signIn?.clientVersion,
    recheckDays: signIn?.recheckDays,
    // Requests may otherwise use members as they were before `copyEarlierSignIns`.
    ...renewedRevision(),
  } as const;
  const isActive = { id: equals(id), status: equals('active') };
  return update(at(organizationRecord, slug), { set }, { if: isActive, refused: () => organizationNotFound() });
}

/** The verified domains that are no longer used, or have to be verified again. */
function freedDomains(previous: SignInRecord | undefined, after?: SignInRecord): Write[] {
  const kept = new Set(verifiedOf(after));
  const isOwn = { organizationId: equals(previous?.organizationId ?? '') };
  return verifiedOf(previous)
    .filter(domain => !kept.has(domain))
    .map(domain => remove(at(domainRecord, domain), { if: [isNew, isOwn] }));
}

function verifiedOf(signIn: SignInRecord | undefined): string[] {
  return (signIn?.domains ?? []).filter(({ verifiedAt }) => verifiedAt !== null).map(({ domain }) => domain);
}

/**
 * Removes the sign-in provider, if any, and the requirement to use it. Members, sessions and links to accounts stay.
 * @throws email_not_verified
 */
export async function deleteSignIn(context: MemberContext): Promise<void> {
  const { organization } = context;
  const foreseen = await readSignIn(context);
  const readAgain = () => findSignIn(organization);
  await retryWithFreshRead(foreseen, readAgain, async previous => {
    if (previous === undefined) return;
    await transact([
      remove(at(signInRecord, organization.slug), { if: { version: equals(previous.version) } }),
      shownOnOrganization(organization),
      ...freedDomains(previous),
      await context.audit({ action: 'sign_in.removed', target: signInTarget(previous) }),
    ]);
  });
}
