import { isIdentityId } from '#lib/access/principal.ts';
import type { ExportRecord } from '#lib/contracts/organizations/export-records.ts';
import { expandsOf } from '#lib/secrets/engine/references.ts';
import type { EnvironmentPath } from '#lib/table/keys.ts';
import type { Write } from '#lib/table/write.ts';
import { type OpenValue, openSecret, openVersion, valueOpener } from './open-values.ts';
import { NotImportable, type RecordOf, readRecords } from './read-export.ts';
import { replayHistory, type StoredValue } from './replay-history.ts';

type Listed = Exclude<ExportRecord['record'], 'change' | 'version' | 'audit-entry'>;

/** The records of an export, except for histories and the audit log, which are read again while they are imported. */
export interface Survey {
  sha256: string;
  lines: number;
  header: RecordOf<'export'>;
  organization: RecordOf<'organization'>;
  /** Environments and template keys only if their project is in the file: otherwise, it was deleted during the export. */
  listed: { [Kind in Listed]: RecordOf<Kind>[] };
  versions: number;
  auditEntries: number;
  open: OpenValue;
}

/**
 * Reads the whole file and opens every value, without importing anything.
 * @param keyFile the private key, if the values are sealed
 * @throws NotImportable
 */
export async function surveyExport(path: string, keyFile: string | undefined): Promise<Survey> {
  const listed = Object.fromEntries(listedKinds.map(kind => [kind, []])) as unknown as Survey['listed'];
  const counts = { versions: 0, auditEntries: 0 };
  let open: OpenValue = async () => undefined;
  const store = async (version: RecordOf<'version'>, environment: RecordOf<'environment'>) => {
    const value = await openVersion(open, version, environment);
    return version.expand && value !== undefined ? { expands: expandsOf(value) } : {};
  };
  const histories = walkHistories({ pathOf: pathIn('organization'), projectOf: () => nowhere, store });
  const records = readRecords(path);
  for (;;) {
    const { value, done } = await records.next();
    if (done === true) {
      await histories.end();
      const survey = { ...value, ...counts, ...checked(listed), open };
      for (const webhook of survey.listed.webhook) await openSecret(open, webhook, survey.organization.id);
      return survey;
    }
    if (value.record === 'export') open = await valueOpener(value, keyFile);
    await histories.add(value);
    if (value.record === 'version') counts.versions += 1;
    else if (value.record === 'audit-entry') counts.auditEntries += 1;
    else if (value.record !== 'change') (listed[value.record] as ExportRecord[]).push(value);
  }
}

const listedKinds: readonly Listed[] = [
  'export',
  'organization',
  'member',
  'removed-member',
  'invitation',
  'project',
  'template-key',
  'environment',
  'retired-slug',
  'webhook',
  'identity',
];

const nowhere = { organizationId: '', keyVersion: 1 };

export const pathIn =
  (orgSlug: string) =>
  ({ project, slug }: RecordOf<'environment'>): EnvironmentPath => ({ orgSlug, project, env: slug });

/** Relations between records that no single one shows. */
function checked(all: Survey['listed']): Pick<Survey, 'header' | 'organization' | 'listed'> {
  const [header, ...otherHeaders] = all.export;
  const [organization, ...others] = all.organization;
  if (header === undefined || organization === undefined || otherHeaders.length + others.length > 0) {
    throw new NotImportable('The file must have one organization.');
  }
  if (header.organization.id !== organization.id)
    throw new NotImportable('The organization is not that of the header.');
  const projects = new Map(all.project.map(project => [project.id, project]));
  const environment = all.environment.filter(({ projectId }) => projects.has(projectId));
  for (const { project, projectId, slug } of environment) {
    if (projects.get(projectId)?.slug !== project)
      throw new NotImportable(`The environment ${slug} is not in ${project}.`);
  }
  const templateKeys = all['template-key'].filter(({ projectId }) => projects.has(projectId));
  if (!all.member.some(({ role }) => role === 'owner')) throw new NotImportable('The organization has no owner.');
  if (all.identity.some(({ id }) => !isIdentityId(id)) || all.member.some(({ userId }) => isIdentityId(userId))) {
    throw new NotImportable('The id of an identity or of a user does not have its form.');
  }
  requireUnique(
    'project',
    all.project.map(({ slug }) => slug),
  );
  requireUnique(
    'environment',
    environment.map(({ project, slug }) => `${project}/${slug}`),
  );
  requireUnique(
    'environment',
    environment.map(({ id }) => id),
  );
  requireUnique(
    'member',
    all.member.map(({ userId }) => userId),
  );
  requireUnique(
    'member',
    all.member.map(({ email }) => email.toLowerCase()),
  );
  for (const kind of ['project', 'webhook', 'identity', 'invitation'] as const) {
    requireUnique(
      kind,
      all[kind].map(({ id }) => id),
    );
  }
  return { header, organization, listed: { ...all, environment, 'template-key': templateKeys } };
}

function requireUnique(what: string, names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new NotImportable(`The ${what} ${repeated} is in the file twice.`);
}

interface Histories {
  pathOf: (environment: RecordOf<'environment'>) => EnvironmentPath;
  /** Undefined for an environment that is not imported. */
  projectOf: (environment: RecordOf<'environment'>) => { organizationId: string; keyVersion: number } | undefined;
  store: (version: RecordOf<'version'>, environment: RecordOf<'environment'>) => Promise<StoredValue>;
}

/** Passes the records of environments, in their order, to the replay of each one; all others end it. */
export function walkHistories({ pathOf, projectOf, store }: Histories) {
  let current:
    | { environment: RecordOf<'environment'>; replay: ReturnType<typeof replayHistory> | undefined }
    | undefined;
  const end = async (): Promise<Write[]> => {
    const writes = current?.replay?.end() ?? [];
    current = undefined;
    return writes;
  };
  return {
    add: async (record: ExportRecord): Promise<Write[]> => {
      if (record.record === 'change' || record.record === 'version') {
        if (current === undefined) throw new NotImportable('A change in the file belongs to no environment.');
        const { environment, replay } = current;
        if (record.record === 'change') return replay?.beginChange(record) ?? [];
        return replay?.addVersion(record, await store(record, environment)) ?? [];
      }
      const writes = await end();
      if (record.record === 'environment') {
        const project = projectOf(record);
        current = { environment: record, replay: project && replayHistory(pathOf(record), record, project) };
      }
      return writes;
    },
    end,
  };
}
