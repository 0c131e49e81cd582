import { randomBytes, randomUUID } from 'node:crypto';
import { sealSigningSecret } from '#lib/deliveries/signing-secret.ts';
import type { KeyRing } from '#lib/secrets/engine/key-ring.ts';
import { at } from '#lib/table/read.ts';
import { environmentRecord } from '#lib/table/records/environment.ts';
import { identityRecord } from '#lib/table/records/identity.ts';
import {
  invitationRecord,
  memberRecord,
  membershipRecord,
  type OrganizationRecord,
  removedMemberRecord,
} from '#lib/table/records/organization.ts';
import { templateKeyRecord } from '#lib/table/records/project.ts';
import { retiredEnvironmentRecord, retiredProjectRecord } from '#lib/table/records/retired-slug.ts';
import { webhookRecord } from '#lib/table/records/webhook.ts';
import { put, type Write } from '#lib/table/write.ts';
import type { People } from './match-people.ts';
import { openSecret } from './open-values.ts';
import type { Survey } from './survey-export.ts';

/** An import that is running. */
export interface Import {
  file: string;
  survey: Survey;
  organization: OrganizationRecord;
  people: People;
  rings: ReadonlyMap<string, KeyRing>;
}

/** The organization's partition, but for the organization and its projects; and the members' side. */
export async function itemsOf({ survey: { listed, open }, organization, people }: Import): Promise<Write[]> {
  const { id: organizationId, slug } = organization;
  const personOf = <P extends { id: string } | null>(person: P): P =>
    person && { ...person, id: people.idOf(person.id) };
  const projects = new Map(listed.project.map(project => [project.id, project.slug]));
  const membership = (id: string) => put(at(membershipRecord, id, organizationId), { organizationId, orgSlug: slug });
  const webhooks = listed.webhook.map(async exported => {
    const secret = await openSecret(open, exported, organizationId);
    const sealedSecret = await sealSigningSecret(secret, { organizationId, id: exported.id });
    const { record: _, value: __, sealed: ___, ...webhook } = exported;
    const facts = {
      ...webhook,
      format: webhook.format ?? 'standard',
      createdBy: personOf(webhook.createdBy),
      organizationId,
      orgSlug: slug,
      sealedSecret,
    };
    return put(at(webhookRecord, slug, webhook.id), facts);
  });
  return [
    ...listed.member.flatMap(({ record: _, ...member }) => {
      const userId = people.idOf(member.userId);
      return [put(at(memberRecord, slug, userId), { ...member, userId }), membership(userId)];
    }),
    ...listed['removed-member'].map(({ userId, removedAt, byRules }) =>
      put(at(removedMemberRecord, slug, people.idOf(userId)), { organizationId, removedAt, byRules }),
    ),
    ...listed.invitation.map(({ record: _, ...invitation }) => {
      // Nobody has a token with this hash.
      const hash = randomBytes(32).toString('base64url');
      return put(at(invitationRecord, slug, invitation.id), {
        ...invitation,
        invitedBy: personOf(invitation.invitedBy),
        hash,
      });
    }),
    ...listed.environment.map(({ record: _, firstRevision: __, revision: ___, approvals: ____, ...environment }) =>
      put(at(environmentRecord, slug, environment.project, environment.slug), { ...environment, status: 'active' }),
    ),
    ...listed['template-key'].map(({ record: _, ...key }) => {
      const owner = key.owner === undefined ? {} : { owner: people.idOf(key.owner) };
      return put(at(templateKeyRecord, slug, projects.get(key.projectId) ?? '', key.key), { ...key, ...owner });
    }),
    ...listed['retired-slug'].map(({ project, environment, type = 'production', retiredAt }) =>
      environment === undefined
        ? put(at(retiredProjectRecord, slug, project), { retiredAt })
        : put(at(retiredEnvironmentRecord, slug, project, environment), { retiredAt, type }),
    ),
    ...listed.identity.flatMap(({ record: _, ...identity }) => {
      const { createdBy, trustedBy } = identity;
      const setUpBy = { createdBy: personOf(createdBy), ...(trustedBy && { trustedBy: personOf(trustedBy) }) };
      const facts = { ...identity, ...setUpBy, organizationId, trustId: randomUUID() };
      return [put(at(identityRecord, slug, identity.id), facts), membership(identity.id)];
    }),
    ...(await Promise.all(webhooks)),
  ];
}
