import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { declaredEntities } from '#test/support/invariants.ts';
import { words } from '#test/support/words.ts';

/*
 * What code that doesn't know an attribute or a kind makes of an item, after a rollback and while a version is deployed
 * gradually. See “Change a format” in CONTRIBUTING.md.
 */

/** Optional attributes without which an item grants no more than with them: nothing is decided by them, or less. */
const grantingNothing = words(`
  accountLink.id audit.actor.name audit.actor.sessionId audit.actor.tokenId audit.details audit.environment
  audit.expiresAt audit.from audit.grants audit.keys audit.keysOmitted audit.message audit.project audit.revision audit.unchanged
  challenge.issuedAt challenge.provided.joins challenge.provided.provider.clientVersion
  challenge.provided.provider.lifted challenge.provided.replaces.id
  challenge.provided.rules credentialKey.replacedAt delivery.payload delivery.redeliveryOf
  domain.lostBy email.expiresAt email.reservedFor environmentState.deadHeadsUpTo environmentState.pages environmentState.pending.abandoned
  environmentState.served handOff.provider.clientVersion handOff.provider.lifted handOff.sessionHash handOff.sessionId
  head.keyVersion head.sealed head.sizeBytes identity.createdBy identity.maxAssertionAgeMinutes identity.singleUse
  identity.tokensEndedAt identity.trustedBy issuerKeys.endpoints issuerKeys.endpoints.userinfo issuerKeys.problem
  member.addedByRules member.grants member.providerSignInAt member.via removedMember.byRules
  organization.accessRevision organization.billing organization.importing organization.kept
  organization.billing.invoice organization.billing.subscribedPlan organization.providerRequiredAt
  organization.recovery
  organization.retentions organization.trustProviderFactor passkey.counterWentBackAt passkey.ownAddition
  pendingLink.domain pendingLink.epoch pendingLink.replacedLinkId planConfigs.raised platformCount.organizations
  platformCount.projects platformCount.users project.kept project.restoring project.rotation.failed
  proposal.author.memberId proposal.author.setUpBy proposal.byNames proposal.closedAt proposal.closedBy proposal.expand proposal.from proposal.generated proposal.message proposal.purpose proposal.reason
  proposal.restored proposal.revision resetLink.emailChanges retiredSlug.type revision.approvedBy revision.from
  revision.message revision.proposal revision.restored session.brokeGlassIn session.id
  session.provider.clientVersion session.provider.lifted
  signIn.acceptRoundTrip signIn.recheckDays signIn.requiredAt signIn.roleRules.claim signIn.roleRules.limited
  signIn.roleRules.projectId signIn.roleRules.projectRole signIn.roleRules.projectSlug signIn.roleRules.role
  signIn.sealedSecret signIn.trustEmail startedSignIn.issuer
  startedSignIn.sessionHash templateKey.description templateKey.expiresAt
  templateKey.maxAgeDays templateKey.note templateKey.owner templateKey.renewUrl templateKey.tags token.provider.clientVersion token.provider.lifted
  token.secondFactor undoLink.addedAt unfinishedWork.job.auditPartitions unfinishedWork.job.cursor
  unfinishedWork.job.isLate unfinishedWork.plannedAtMs user.emailChanges
  user.factorChange user.isAdmin user.logInNetworks user.pendingTotp user.recoveryCodes user.recoveryCodesFrom user.totp.answeredStep
  user.totp.ownAddition version.keyVersion version.sealed version.sizeBytes webhook.createdBy webhook.format`);

/**
 * Optional attributes whose absence grants something, which 0.1.0, the first release, knows. Raising the format of the
 * items that have one would end every log-in with a second factor after a rollback to it, for nothing. This list ends.
 */
const knownToEveryRelease = words(`
  challenge.provided.replaces domain.answeredAt domain.lookedUpAt environmentState.pending head.deleted head.destroyed
  identity.jwks.keys.alg identity.jwks.keys.crv identity.jwks.keys.e identity.jwks.keys.kid identity.jwks.keys.n
  identity.jwks.keys.x identity.jwks.keys.y issuerKeys.keys.alg issuerKeys.keys.crv issuerKeys.keys.e
  issuerKeys.keys.kid issuerKeys.keys.n issuerKeys.keys.x issuerKeys.keys.y longQuestions.first longQuestions.second
  templateKey.pattern token.expiresAt user.linkEpoch user.passkeyCount user.totp version.deleted version.destroyed`);

const kindsOfFirstRelease = words(`
  accountLink assertion audit auditCount auditPartitions challenge countedBatch credentialKey customer delivery
  deliveryClaim directory domain email environment environmentState fence handOff head identity invitation
  invitationPointer issuerKeys link liveTokens longQuestions member membership organization organizationPointer
  passkey passkeyOwner payloadPiece pendingLink planConfigs platformCount project providerEvent providerLink rate
  removedMember resetLink retiredSlug revision revisionPart routeHour servingRegion session signIn startedSignIn
  templateKey tickets token tombstone undoLink unfinishedWork user version webhook`);

/** Later kinds: what keeps code that doesn't know one from granting or leaving behind anything. */
const laterKinds: Readonly<Record<string, string>> = {
  emailChange: 'Grants only a new address, which older code can’t give; erased with its account.',
  emailUndo: 'Grants only an earlier address, which older code can’t give back; erased with its account.',
  grantRequest: 'It only asks; gone by itself after a day.',
  archiveCursor: 'It grants nothing. The archive’s next run removes those of organizations that are gone.',
  revocation:
    'It only says what to repeat after a restore. What older code takes away is not listed, as the page says.',
  proposal:
    'Older code applies none. If it rotates the key, the values are lost, and applying the proposal is refused.',
  proposalPart: 'The values of a proposal; erased with the environment.',
  openProposals: 'It only limits how many proposals are open.',
  keyAges: 'It only says when values were written; erased with the environment.',
  dueLetters: 'It only keeps letters from being sent twice; erased with the organization.',
  recoveryLink: 'Grants only the end of a recovery, which older code can’t complete; erased with its organization.',
};

/** What schemas of any type may contain. */
interface Definition {
  type: string;
  shape: Record<string, z.ZodType>;
  options: z.ZodType[];
  innerType: z.ZodType;
  element: z.ZodType;
  valueType: z.ZodType;
}

/** The attributes that may be absent, also within others, such as `totp.ownAddition`. */
function optionalIn(schema: z.ZodType, path: string): string[] {
  const { type, ...inner } = schema.def as unknown as Definition;
  switch (type) {
    case 'object':
      return Object.entries(inner.shape).flatMap(([name, attribute]) => {
        const named = `${path}.${name}`;
        const isOptional = ['optional', 'default'].includes(attribute.def.type);
        return [...(isOptional ? [named] : []), ...optionalIn(attribute, named)];
      });
    case 'union':
      return inner.options.flatMap(option => optionalIn(option, path));
    case 'optional':
    case 'default':
    case 'nullable':
      return optionalIn(inner.innerType, path);
    case 'array':
      return optionalIn(inner.element, path);
    case 'record':
      return optionalIn(inner.valueType, path);
    default:
      return [];
  }
}

const sorted = (names: readonly string[]) => [...new Set(names)].toSorted();

describe('every optional attribute', () => {
  it('says whether its absence grants something', () => {
    const declared = declaredEntities.flatMap(({ kind, schema }) => optionalIn(schema(), kind));
    const restricting = declaredEntities.flatMap(({ kind, restricting: names }) =>
      names.map(name => `${kind}.${name}`),
    );

    expect(sorted([...grantingNothing, ...knownToEveryRelease, ...restricting])).toEqual(sorted(declared));
  });
});

describe('every kind of item', () => {
  it('is one that the first release knows, or says why older code can’t ignore it', () => {
    const kinds = sorted(declaredEntities.map(({ kind }) => kind));

    expect(sorted([...kindsOfFirstRelease, ...Object.keys(laterKinds)])).toEqual(kinds);
  });
});
