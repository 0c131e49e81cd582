import { isDeepStrictEqual } from 'node:util';
import type { MemberContext } from '../../access/request-context.ts';
import type { BodyOf } from '../../contracts/contract.ts';
import type { AuditDetails } from '../../contracts/fields/audit-action.ts';
import type {
  addTemplateKey as addContract,
  updateTemplateKey as updateContract,
} from '../../contracts/templates/templates.ts';
import { ApiError, environmentNotFound, invalidRequest, projectNotFound } from '../../core/errors.ts';
import { patternProblem } from '../../secrets/value-pattern.ts';
import { asRead, equals, isActive, isNew, isThere } from '../../table/expressions.ts';
import { type EnvironmentPath, ranges } from '../../table/keys.ts';
import { at, find, list } from '../../table/read.ts';
import { environmentRecord } from '../../table/records/environment.ts';
import { memberRecord } from '../../table/records/organization.ts';
import type { ProjectRecord, TemplateKeyRecord } from '../../table/records/project.ts';
import { projectRecord, templateKeyRecord } from '../../table/records/project.ts';
import { check, put, remove, retryWithFreshRead, transact, update, type Write } from '../../table/write.ts';

/** As many as one change of secrets may contain. */
const maximumTemplateKeys = 1000;
/** A template is read as a whole, so it must fit in a response. Concurrent changes may exceed this slightly. */
const maximumTemplateBytes = 4 * 1024 * 1024;

type ProjectPath = Omit<EnvironmentPath, 'env'>;
type TemplateReads = Awaited<ReturnType<typeof beginTemplate>>;

/** One round trip, in parallel with authentication. The template is in key order, like the sort keys. */
export async function beginTemplate({ orgSlug, project: slug }: ProjectPath) {
  const [project, template] = await Promise.all([
    find(at(projectRecord, orgSlug, slug)),
    list(templateKeyRecord, ranges.templateKeys(orgSlug, slug)),
  ]);
  return { project, template };
}

export function listTemplateKeys({ access }: MemberContext, { project, template }: TemplateReads): TemplateKeyRecord[] {
  return templateOf(access.requireProject(project), template);
}

/** Leaves out keys of another project that owned the slug when the template was read. */
export function templateOf(
  { id }: Pick<ProjectRecord, 'id'>,
  template: readonly TemplateKeyRecord[],
): TemplateKeyRecord[] {
  return template.filter(({ projectId }) => projectId === id);
}

/**
 * @throws template_key_exists, environment_not_found; invalid_request for a pattern that does not compile, an owner who
 * is not a member or a template that is full; payload_too_large
 */
export async function addTemplateKey(
  context: MemberContext,
  { key, required, ...fields }: BodyOf<typeof addContract>,
  begun: TemplateReads,
): Promise<TemplateKeyRecord> {
  const { access, organization } = context;
  const project = access.requireProject(begun.project);
  requirePattern(fields.pattern);
  const alreadyThere = () => new ApiError('template_key_exists', `The template already has the key ${key}.`);
  const template = templateOf(project, begun.template);
  if (template.some(templateKey => templateKey.key === key)) throw alreadyThere();
  if (template.length >= maximumTemplateKeys) {
    throw invalidRequest([{ path: 'key', message: `a template has at most ${maximumTemplateKeys} keys` }]);
  }
  const record: TemplateKeyRecord = {
    key,
    projectId: project.id,
    required,
    ...withoutAbsent(merged({}, fields)),
    createdAt: new Date().toISOString(),
  };
  requireRoom([...template, record], template);
  await requireEnvironments(context, project, record.expiresAt);
  const target = { type: 'template_key', id: project.id, name: key } as const;
  await transact([
    put(at(templateKeyRecord, organization.slug, project.slug, key), record, { if: isNew, refused: alreadyThere }),
    isStillThere(context, project),
    ...isOwnedByMember(context, record.owner),
    await context.audit({ action: 'template_key.added', target, details: detailsOf(record) }),
  ]);
  return record;
}

/** @throws invalid_request for a pattern that does not compile */
function requirePattern(pattern: string | null | undefined): void {
  const problem = typeof pattern === 'string' ? patternProblem(pattern) : undefined;
  if (problem !== undefined) throw invalidRequest([{ path: 'pattern', message: problem }]);
}

/** Rejects only growth. @throws payload_too_large */
function requireRoom(after: readonly TemplateKeyRecord[], before: readonly TemplateKeyRecord[]): void {
  const bytesOf = (template: readonly TemplateKeyRecord[]) => Buffer.byteLength(JSON.stringify(template));
  const sizeBytes = bytesOf(after);
  if (sizeBytes <= maximumTemplateBytes || sizeBytes <= bytesOf(before)) return;
  const message = `A template takes at most ${maximumTemplateBytes} bytes. Shorten notes or descriptions.`;
  throw new ApiError('payload_too_large', message, { details: { sizeBytes, maximumBytes: maximumTemplateBytes } });
}

const notFound = (key: string) => new ApiError('template_key_not_found', `The template has no key ${key}.`);

/**
 * Changes the given fields; values that are already set add no audit entry.
 * @throws template_key_not_found, environment_not_found; invalid_request for a pattern that does not compile or an owner
 * who is not a member; payload_too_large
 */
export async function updateTemplateKey(
  context: MemberContext,
  path: ProjectPath & { key: string },
  changes: BodyOf<typeof updateContract>,
  begun: TemplateReads,
): Promise<TemplateKeyRecord> {
  const { access, organization } = context;
  const readAgain = () => beginTemplate(path);
  return retryWithFreshRead(begun, readAgain, async reads => {
    const project = access.requireProject(reads.project);
    const template = templateOf(project, reads.template);
    const current = template.find(({ key }) => key === path.key);
    requirePattern(changes.pattern);
    if (current === undefined) throw notFound(path.key);
    const { required = current.required } = changes;
    const set = { ...merged(current, changes), required };
    const changed: TemplateKeyRecord = { ...current, ...set };
    const details = differenceOf(current, changed);
    if (details === undefined) return current;
    const after = withoutAbsent(changed);
    requireRoom([...template.filter(other => other !== current), after], template);
    await requireEnvironments(context, project, changed.expiresAt, current.expiresAt);
    // The key must be unchanged since it was read, and not a new one with the same name.
    const isSame = { ...asRead(current, fieldNames), createdAt: equals(current.createdAt) };
    const target = { type: 'template_key', id: project.id, name: path.key } as const;
    await transact([
      update(at(templateKeyRecord, organization.slug, project.slug, path.key), { set }, { if: isSame }),
      isStillThere(context, project),
      ...isOwnedByMember(context, changed.owner === current.owner ? undefined : changed.owner),
      await context.audit({ action: 'template_key.updated', target, details }),
    ]);
    return after;
  });
}

const optionalFields = [
  'description',
  'pattern',
  'owner',
  'tags',
  'renewUrl',
  'maxAgeDays',
  'expiresAt',
  'note',
] as const satisfies readonly (keyof TemplateKeyRecord)[];
type OptionalFields = { [Field in (typeof optionalFields)[number]]?: TemplateKeyRecord[Field] };
const fieldNames = ['required', ...optionalFields] as const;

type Requested = { [Field in keyof OptionalFields]?: OptionalFields[Field] | null | undefined };

/** The optional fields after a change: omitted keeps the current value, null or an empty list removes it. */
function merged(current: OptionalFields, requested: Requested): OptionalFields {
  const isEmpty = (value: unknown) => value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  const entries = optionalFields.map(name => {
    const value = requested[name];
    return [name, value === undefined ? current[name] : isEmpty(value) ? undefined : value];
  });
  return Object.fromEntries(entries);
}

function withoutAbsent<R extends object>(record: R): R {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as R;
}

/** The most of a field that an audit entry keeps: all but a long note. */
const auditedCharacters = 1000;

/** The audit details of a change; undefined if nothing differs. */
function differenceOf(previous: TemplateKeyRecord, current: TemplateKeyRecord): AuditDetails | undefined {
  const names = fieldNames.filter(name => !isDeepStrictEqual(previous[name], current[name]));
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map(name => [name, { from: audited(previous[name]), to: audited(current[name]) }]));
}

function audited(value: TemplateKeyRecord[(typeof fieldNames)[number]]): string | number | boolean | null {
  if (value === undefined) return null;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'string') return Array.from(value).slice(0, auditedCharacters).join('');
  return Array.isArray(value) ? value.join(', ') : JSON.stringify(value);
}

/**
 * Environments that the key already names may have been deleted since.
 * @throws environment_not_found for another one that the project doesn't have
 */
async function requireEnvironments(
  { organization }: MemberContext,
  { id, slug }: ProjectRecord,
  expiresAt: TemplateKeyRecord['expiresAt'] = {},
  before: TemplateKeyRecord['expiresAt'] = {},
): Promise<void> {
  const added = Object.keys(expiresAt).filter(environmentId => !Object.hasOwn(before, environmentId));
  if (added.length === 0) return;
  const environments = await list(environmentRecord, ranges.projectEnvironments(organization.slug, slug));
  const own = environments.filter(({ projectId, status }) => projectId === id && status === 'active');
  const ids = new Set(own.map(environment => environment.id));
  if (added.some(environmentId => !ids.has(environmentId))) throw environmentNotFound();
}

function isOwnedByMember({ organization }: MemberContext, owner: string | undefined): Write[] {
  if (owner === undefined) return [];
  const refused = () => invalidRequest([{ path: 'owner', message: 'must be a member of the organization' }]);
  return [check(at(memberRecord, organization.slug, owner), { if: isThere, refused })];
}

/** Checks that the slug still names the same project, because a template is addressed by its project's slug. */
function isStillThere({ organization }: MemberContext, { id, slug }: ProjectRecord): Write {
  return check(at(projectRecord, organization.slug, slug), { if: isActive(id), refused: projectNotFound });
}

/** @throws template_key_not_found */
export async function removeTemplateKey(context: MemberContext, key: string, begun: TemplateReads): Promise<void> {
  const project = context.access.requireProject(begun.project);
  const record = templateOf(project, begun.template).find(templateKey => templateKey.key === key);
  if (record === undefined) throw notFound(key);
  const item = at(templateKeyRecord, context.organization.slug, project.slug, key);
  // The audit entry names the pattern that was read, so only that key may be removed, not one that was added since.
  const isSame = { createdAt: equals(record.createdAt) };
  const target = { type: 'template_key', id: project.id, name: key } as const;
  await transact([
    // First, because a recreated project lacks the key too.
    isStillThere(context, project),
    remove(item, { if: isSame, refused: () => notFound(key) }),
    await context.audit({ action: 'template_key.removed', target, details: detailsOf(record) }),
  ]);
}

/**
 * A pattern reveals something about values, so the audit log keeps it even after the key is removed; and so it does with
 * who renewed them, and when.
 */
function detailsOf(record: TemplateKeyRecord): AuditDetails {
  const { required, pattern = null } = record;
  const given = (['owner', 'tags', 'renewUrl', 'maxAgeDays', 'expiresAt', 'note'] as const)
    .filter(name => record[name] !== undefined)
    .map(name => [name, audited(record[name])]);
  return { required, pattern, ...Object.fromEntries(given) };
}
