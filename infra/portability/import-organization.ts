import { auditWrite, systemActor } from '#lib/audit/write.ts';
import type { PlanName } from '#lib/contracts/fields/limits.ts';
import type { RequestSource } from '#lib/core/request-source.ts';
import { createDataKey } from '#lib/crypto/data-keys.ts';
import { keyRing } from '#lib/secrets/engine/key-ring.ts';
import { expandsOf } from '#lib/secrets/engine/references.ts';
import { secretSizeBytes } from '#lib/secrets/engine/secret-size.ts';
import { renewedRevision } from '#lib/table/access-revision.ts';
import { equals, isNew } from '#lib/table/expressions.ts';
import { ranges } from '#lib/table/keys.ts';
import { at, find, list, queryPage, readAll } from '#lib/table/read.ts';
import { auditRecord } from '#lib/table/records/audit.ts';
import {
  directoryByNameRecord,
  directoryBySlugRecord,
  membershipRecord,
  type OrganizationRecord,
  organizationPointerRecord,
  organizationRecord,
} from '#lib/table/records/organization.ts';
import { countPlatform } from '#lib/table/records/platform.ts';
import { projectRecord } from '#lib/table/records/project.ts';
import { retiredOrganizationRecord } from '#lib/table/records/retired-slug.ts';
import { noteWork, unfinishedWorkRecord } from '#lib/table/records/unfinished-work.ts';
import { check, put, putAll, transact, transactIfHolds, update, type Write } from '#lib/table/write.ts';
import { type Import, itemsOf } from './import-items.ts';
import { createAccounts, matchPeople, type People } from './match-people.ts';
import { openVersion } from './open-values.ts';
import { NotImportable, type RecordOf, readRecords } from './read-export.ts';
import { pathIn, type Survey, surveyExport, walkHistories } from './survey-export.ts';

interface ImportOptions {
  /** The file with the private key, as a JWK, if values are sealed. */
  keyFile?: string | undefined;
  /** If the organization's own slug is taken. */
  slug?: string | undefined;
  plan?: PlanName | undefined;
  source: RequestSource;
  report: (line: string) => void;
}

/**
 * Creates an organization from an export: all of it or nothing. It is reserved in the state of one that is being erased,
 * which no request can reach, and becomes active in the last transaction. Running it again continues after a failure.
 * @throws NotImportable if the file is damaged, or something of this installation is in the way
 */
export async function importOrganization(file: string, options: ImportOptions): Promise<Survey> {
  const { report } = options;
  const survey = await surveyExport(file, options.keyFile);
  report(`The file is complete: ${survey.lines} lines, ${survey.versions} versions.`);
  const people = await matchPeople(survey.listed.member);
  const organization = await reserve(survey, options);
  await createAccounts(people.missing);
  const rings = await createProjects(survey, organization);
  const running: Import = { file, survey, organization, people, rings };
  await putAll(await itemsOf(running));
  await importRecords(running, report);
  await activate(running, options.source);
  return survey;
}

/** Gives up an import that is not complete: what it wrote is erased like a deleted organization. */
export async function removeImport(slug: string): Promise<void> {
  const item = at(organizationRecord, slug);
  const organization = await find(item);
  if (organization?.importing === undefined) throw new NotImportable(`No import of ${slug} is unfinished.`);
  const { id } = organization;
  const isSame = { id: equals(id), importing: equals(organization.importing) };
  await transact([
    update(item, { set: { importing: undefined } }, { if: isSame }),
    noteWork({ type: 'erase-organization', orgSlug: slug, organizationId: id }),
  ]);
}

/** A late step of an earlier erasure would erase audit entries of the same organization. */
const erasedBeforeMs = 15 * 60_000;

async function reserve(survey: Survey, { slug, plan = 'free' }: ImportOptions): Promise<OrganizationRecord> {
  const { id, slug: ownSlug, name, createdAt, retentions, requireSecondFactor, allowedNetworks } = survey.organization;
  const organizationSlug = slug ?? ownSlug;
  const importing = { sha256: survey.sha256 };
  const item = at(organizationRecord, organizationSlug);
  const [stored, pointer, unfinished, ...retired] = await Promise.all([
    find(item),
    find(at(organizationPointerRecord, id)),
    find(at(unfinishedWorkRecord, id)),
    find(at(retiredOrganizationRecord, ownSlug)),
    find(at(retiredOrganizationRecord, organizationSlug)),
  ]);
  const wasErased = retired.some(one => one !== undefined && Date.now() - Date.parse(one.retiredAt) < erasedBeforeMs);
  if (unfinished !== undefined || (wasErased && stored === undefined)) {
    throw new NotImportable('An organization with this id or slug is being erased. Try again in 15 minutes.');
  }
  if (stored?.importing !== undefined && stored.id === id) {
    if (stored.importing.sha256 === importing.sha256) return stored;
    throw new NotImportable('An import of another file of this organization is unfinished. Give it up with --remove.');
  }
  if (pointer !== undefined) throw new NotImportable('This installation has the organization already.');
  if (stored !== undefined)
    throw new NotImportable(`The slug ${organizationSlug} is taken. Choose another with --slug.`);
  await requireFreeIds(survey);
  const { member, project, invitation, webhook, identity } = survey.listed;
  const organization: OrganizationRecord = {
    id,
    slug: organizationSlug,
    name,
    plan,
    limitOverrides: {},
    retentions,
    createdAt,
    status: 'deleting',
    importing,
    projectCount: project.length,
    memberCount: member.length,
    ownerCount: member.filter(({ role }) => role === 'owner').length,
    invitationCount: invitation.length,
    webhookCount: webhook.length,
    identityCount: identity.length,
    // Above all revisions that clients of an earlier organization with the slug may have.
    firstRevision: retired[1] === undefined ? survey.organization.firstRevision : Date.now(),
    planChangedAtMs: plan === 'free' ? 0 : Date.now(),
    requireSecondFactor,
    ...(allowedNetworks !== undefined && { allowedNetworks }),
  };
  await transact([
    put(item, organization, { if: isNew }),
    put(at(organizationPointerRecord, id), { orgSlug: organizationSlug }, { if: isNew }),
  ]);
  return organization;
}

/** Ids that address partitions of their own: a file must not reach those of others. */
async function requireFreeIds({ organization: { id }, listed }: Survey): Promise<void> {
  const isOthers = async (identity: string) =>
    (await list(membershipRecord, ranges.memberships(identity))).some(({ organizationId }) => organizationId !== id);
  for (const identity of listed.identity) {
    if (await isOthers(identity.id)) throw new NotImportable(`The id of the identity ${identity.name} is in use.`);
  }
  for (const webhook of listed.webhook) {
    const { items } = await queryPage({ ...ranges.deliveries(webhook.id), pageSize: 1 });
    if (items.length > 0) throw new NotImportable(`The id of the webhook ${webhook.url} is in use.`);
  }
}

/** The organization's condition while the file is being imported, when no request can reach it. */
const whileImporting = (id: string, sha256: string) =>
  ({ id: equals(id), status: equals('deleting'), 'importing.sha256': equals(sha256) }) as const;

/** A repeated import keeps the data keys of the first, because values may be sealed under them. */
async function createProjects({ listed, sha256 }: Survey, { id: organizationId, slug }: OrganizationRecord) {
  const isImporting = check(at(organizationRecord, slug), { if: whileImporting(organizationId, sha256) });
  for (const { record: _, ...project } of listed.project) {
    const { id: projectId, keyVersion } = project;
    const item = at(projectRecord, slug, project.slug);
    if ((await find(item))?.id === projectId) continue;
    const wrappedKeys = { [keyVersion]: await createDataKey({ organizationId, projectId, keyVersion }) };
    const environmentCount = listed.environment.filter(environment => environment.projectId === projectId).length;
    const stored = { ...project, organizationId, wrappedKeys, environmentCount, status: 'active' as const };
    await transactIfHolds([put(item, stored, { if: isNew }), isImporting]);
  }
  const projects = await readAll(listed.project.map(project => at(projectRecord, slug, project.slug)));
  return new Map(
    projects.flatMap(project => (project ? [[project.id, keyRing(organizationId, project)] as const] : [])),
  );
}

/** Writes are collected, so that each call has many. */
const writesAtOnce = 200;

async function importRecords(running: Import, report: (line: string) => void): Promise<void> {
  const { file, survey, organization, people } = running;
  const projects = new Map(survey.listed.project.map(project => [project.id, project]));
  const histories = walkHistories({
    pathOf: pathIn(organization.slug),
    projectOf: ({ projectId }) => {
      const project = projects.get(projectId);
      return project && { organizationId: organization.id, keyVersion: project.keyVersion };
    },
    store: (version, environment) => storedValue(running, version, environment),
  });
  let writes: Write[] = [];
  let lines = 0;
  const flush = async () => {
    const flushed = writes;
    writes = [];
    const quarter = Math.ceil(flushed.length / 4);
    await Promise.all([0, 1, 2, 3].map(lane => putAll(flushed.slice(lane * quarter, (lane + 1) * quarter))));
  };
  for await (const record of readRecords(file)) {
    writes.push(...(await histories.add(withPeople(record, people))));
    if (record.record === 'audit-entry') writes.push(auditItem(organization.id, record, people));
    if (writes.length >= writesAtOnce) await flush();
    lines += 1;
    if (lines % 5000 === 0) report(`${lines} of ${survey.lines} lines imported.`);
  }
  writes.push(...(await histories.end()));
  await flush();
}

interface Referenced {
  id: string;
}

function withPeople<R extends { record: string }>(record: R, { idOf }: People): R {
  if (record.record !== 'change' && record.record !== 'version') return record;
  const { createdBy, approvedBy } = record as R & { createdBy: Referenced | null; approvedBy?: Referenced[] };
  const here = (person: Referenced) => ({ ...person, id: idOf(person.id) });
  return {
    ...record,
    ...(createdBy !== null && { createdBy: here(createdBy) }),
    ...(approvedBy !== undefined && { approvedBy: approvedBy.map(here) }),
  };
}

async function storedValue(
  { survey, rings }: Import,
  version: RecordOf<'version'>,
  environment: RecordOf<'environment'>,
) {
  const value = await openVersion(survey.open, version, environment);
  const ring = rings.get(environment.projectId);
  if (value === undefined || ring === undefined) return {};
  const { key, version: number } = version;
  const sealed = await ring.seal(value, { environmentId: environment.id, key, version: number });
  const expands = version.expand && { expands: expandsOf(value) };
  return { sealed, keyVersion: ring.keyVersion, sizeBytes: secretSizeBytes(key, value), ...expands };
}

function auditItem(organizationId: string, { entry, expiresAt }: RecordOf<'audit-entry'>, { idOf }: People): Write {
  const { detailsOmitted: _, actor, ...facts } = entry;
  const id = actor.id === null ? null : idOf(actor.id);
  return put(at(auditRecord, organizationId, 0, entry), { ...facts, actor: { ...actor, id }, expiresAt });
}

/** The last step: from here on, the organization can be reached. */
async function activate({ survey, organization }: Import, source: RequestSource): Promise<void> {
  const { id, slug, name, projectCount } = organization;
  const entry = { id, slug, name };
  const { sha256, lines, header } = survey;
  const facts = { action: 'organization.imported', target: { type: 'organization', id, name } } as const;
  const details = { sha256, lines, exportedAt: header.startedAt };
  const set = { status: 'active', importing: undefined, ...renewedRevision() } as const;
  await transact([
    update(at(organizationRecord, slug), { set }, { if: whileImporting(id, sha256) }),
    put(at(directoryBySlugRecord, slug), entry),
    put(at(directoryByNameRecord, name, slug), entry),
    countPlatform({ organizations: 1, projects: projectCount }),
    await auditWrite(organization, systemActor, source, { ...facts, details }),
  ]);
}
