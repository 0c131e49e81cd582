import { isDeepStrictEqual } from 'node:util';
import { isRecheckDue } from '../../access/fresh-session.ts';
import type { RequestContext } from '../../access/request-context.ts';
import { type AuditFacts, auditWrite, systemActor } from '../../audit/write.ts';
import {
  applyRoleRules,
  type CompleteRights,
  effectiveRules,
  matchingRules,
} from '../../contracts/fields/apply-role-rules.ts';
import { gainsRights } from '../../contracts/fields/member-rights.ts';
import { asRead } from '../../table/expressions.ts';
import { at, readAll } from '../../table/read.ts';
import { type MemberRecord, memberRecord, type OrganizationRecord } from '../../table/records/organization.ts';
import { projectKeysRecord } from '../../table/records/project.ts';
import type { SignInRecord } from '../../table/records/sign-in.ts';
import { asRevocation } from '../../table/revocations.ts';
import { update, type Write } from '../../table/write.ts';
import { changeCounts } from '../change-counts.ts';
import { membershipEnd } from './end-membership.ts';
import { auditedRights, auditText } from './project-roles.ts';

/** The rules of an organization's provider, and what they need to know of a sign-in. */
export type RulesOfSignIn = Parameters<typeof applyRoleRules>[0];

type Settings = Pick<SignInRecord, 'roleRules' | 'defaultRole'>;

/** The places of the rules that the claims match. Pure. */
export function matchedPlaces({ roleRules = [] }: Settings, claims: Readonly<Record<string, unknown>>): number[] {
  const matched = new Set(matchingRules(roleRules, claims));
  return roleRules.flatMap((rule, place) => (matched.has(rule) ? [place] : []));
}

/** If there are rules, they decide together with the other settings of this version; otherwise null. Pure. */
export function versionWithRules({ roleRules, version }: Pick<SignInRecord, 'roleRules' | 'version'>) {
  return roleRules === undefined ? null : version;
}

/** One round trip if a rule that matches names a project, otherwise no read. */
export async function readRules(
  orgSlug: string,
  { roleRules = [], defaultRole }: Settings,
  places: readonly number[],
): Promise<RulesOfSignIn> {
  const matched = places.flatMap(place => roleRules[place] ?? []);
  const slugs = [...new Set(matched.flatMap(({ projectSlug }) => projectSlug ?? []))];
  const stored = await readAll(slugs.map(slug => at(projectKeysRecord, orgSlug, slug)));
  const active = stored.flatMap(project => (project?.status === 'active' ? [project] : []));
  const projects = new Map(active.map(({ id, slug }) => [id, slug]));
  return { matched, hasRules: roleRules.length > 0, defaultRole, projects };
}

/** What an audit entry says about rules: the values that gave something. Pure. */
export function ruleDetails({ matched, projects, hasRules }: RulesOfSignIn) {
  const values = new Set(effectiveRules(matched, projects).map(({ value }) => auditText(value, longestValue)));
  return { via: 'provider', ...(hasRules ? { rules: [...values] } : {}) };
}

/** Fifty of them must not fill an audit entry. */
const longestValue = 200;

/** Absent where they say nothing. Pure. */
export function storedAsGiven({ role, limited, projectRoles }: CompleteRights) {
  return {
    role,
    limited: limited || undefined,
    projectRoles: projectRoles.length === 0 ? undefined : projectRoles,
  } satisfies Pick<MemberRecord, 'role' | 'limited' | 'projectRoles'>;
}

interface SignInChangeOptions {
  organization: OrganizationRecord;
  member: MemberRecord;
  rules: RulesOfSignIn;
  /** When the provider answered; by default, now. */
  signedInAt?: string;
  /** The check that the organization exists. The write of changed rights checks that too. */
  active: Write;
}

/** What decided a sign-in's writes, and must be the same when they are made. */
const decisive = ['id', 'role', 'limited', 'projectRoles', 'addedByRules', 'providerSignInAt'] as const;

/**
 * What a sign-in through the provider does to a membership: records its time, and gives the rights that the rules say,
 * or ends it. If the member was changed meanwhile, the transaction throws `ConditionFailed`.
 * @returns `ends` if nobody gets a session, because the membership ends
 */
export async function changeBySignIn(
  context: RequestContext,
  { organization, member, rules, signedInAt = new Date().toISOString(), active }: SignInChangeOptions,
): Promise<{ writes: Write[]; ends: boolean }> {
  const made = applyRoleRules(rules, member);
  if (made === undefined) {
    return { writes: await endedByRules(context, { organization, rules }, member), ends: true };
  }
  const given = { ...storedAsGiven(made.rights), addedByRules: made.addedByRules };
  const after = { ...member, ...given };
  const entries = await changeEntries(context, { organization, rules }, { before: member, after });
  const isChanged = entries.length > 0 || !isDeepStrictEqual(after.addedByRules, member.addedByRules);
  // A member kept in memory would still be refused.
  const isRenewed = isChanged || isRecheckDue(organization.recheckDays, member.providerSignInAt);
  const { providerSignInAt: before = '' } = member;
  const set = { ...(isChanged ? given : {}), providerSignInAt: before > signedInAt ? before : signedInAt };
  const item = at(memberRecord, organization.slug, member.userId);
  const writes = [
    update(item, { set }, { if: asRead(member, decisive) }),
    isRenewed ? changeCounts(organization, {}) : active,
    ...entries,
  ];
  return { writes: gainsRights(after, member) ? asRevocation(writes) : writes, ends: false };
}

type Changed = Pick<SignInChangeOptions, 'organization' | 'rules'>;

/** An entry for a changed role, and one for changed rights in projects. The person didn't change them themselves. */
async function changeEntries(
  { source }: RequestContext,
  { organization, rules }: Changed,
  { before, after }: { before: MemberRecord; after: MemberRecord },
): Promise<Write[]> {
  const target = targetOf(before);
  const via = ruleDetails(rules);
  const inProjects = ({ limited = false, projectRoles = [] }: MemberRecord) => [limited, projectRoles];
  const facts: AuditFacts[] = [];
  if (before.role !== after.role) {
    facts.push({ action: 'member.role_changed', target, details: { from: before.role, to: after.role, ...via } });
  }
  if (!isDeepStrictEqual(inProjects(before), inProjects(after))) {
    const details = { from: auditedRights(before), to: auditedRights(after), ...via };
    facts.push({ action: 'member.projects_changed', target, details });
  }
  return Promise.all(facts.map(one => auditWrite(organization, systemActor, source, one)));
}

/** As if somebody removed the member, except that the link stays: it brings them back once a rule matches again. */
async function endedByRules(
  { source }: RequestContext,
  { organization, rules }: Changed,
  member: MemberRecord,
): Promise<Write[]> {
  const details = { role: member.role, ...ruleDetails(rules) };
  const facts = { action: 'member.removed', target: targetOf(member), details } as const;
  return asRevocation([
    changeCounts(organization, { memberCount: -1 }),
    ...membershipEnd(organization, member, decisive, { byRules: true }),
    await auditWrite(organization, systemActor, source, facts),
  ]);
}

const targetOf = ({ id, email }: MemberRecord) => ({ type: 'member', id, name: email }) as const;
