import { changedFields } from '../../access/changed-fields.ts';
import type { MemberContext } from '../../access/request-context.ts';
import type { BodyOf } from '../../contracts/contract.ts';
import type {
  addTemplateKey as addContract,
  updateTemplateKey as updateContract,
} from '../../contracts/templates/templates.ts';
import { ApiError, invalidRequest, projectNotFound } from '../../core/errors.ts';
import { patternProblem } from '../../secrets/value-pattern.ts';
import { asRead, equals, isActive, isNew } from '../../table/expressions.ts';
import { type EnvironmentPath, ranges } from '../../table/keys.ts';
import { at, find, list, readTogether } from '../../table/read.ts';
import type { ProjectRecord, TemplateKeyRecord } from '../../table/records/project.ts';
import { projectRecord, templateKeyRecord } from '../../table/records/project.ts';
import { check, put, remove, retryWithFreshRead, transact, update, type Write } from '../../table/write.ts';

/** As many as one change of secrets may contain. */
const maximumTemplateKeys = 1000;

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

/** @throws template_key_exists; invalid_request for a pattern that does not compile or a template that is full */
export async function addTemplateKey(
  context: MemberContext,
  { key, description, required, pattern }: BodyOf<typeof addContract>,
  begun: TemplateReads,
): Promise<TemplateKeyRecord> {
  const { access, organization } = context;
  const project = access.requireProject(begun.project);
  requirePattern(pattern);
  const alreadyThere = () => new ApiError('template_key_exists', `The template already has the key ${key}.`);
  const template = templateOf(project, begun.template);
  if (template.some(templateKey => templateKey.key === key)) throw alreadyThere();
  if (template.length >= maximumTemplateKeys) {
    throw invalidRequest([{ path: 'key', message: `a template has at most ${maximumTemplateKeys} keys` }]);
  }
  const record: TemplateKeyRecord = {
    key,
    projectId: project.id,
    ...(description === undefined ? {} : { description }),
    required,
    ...(pattern === undefined ? {} : { pattern }),
    createdAt: new Date().toISOString(),
  };
  const target = { type: 'template_key', id: project.id, name: key } as const;
  await transact([
    put(at(templateKeyRecord, organization.slug, project.slug, key), record, { if: isNew, refused: alreadyThere }),
    isStillThere(context, project),
    await context.audit({ action: 'template_key.added', target, details: detailsOf(record) }),
  ]);
  return record;
}

/** @throws invalid_request for a pattern that does not compile */
function requirePattern(pattern: string | null | undefined): void {
  const problem = typeof pattern === 'string' ? patternProblem(pattern) : undefined;
  if (problem !== undefined) throw invalidRequest([{ path: 'pattern', message: problem }]);
}

const notFound = (key: string) => new ApiError('template_key_not_found', `The template has no key ${key}.`);

/** One round trip, in parallel with authentication. */
export function beginTemplateKey({ orgSlug, project, key }: ProjectPath & { key: string }) {
  const record = at(templateKeyRecord, orgSlug, project, key);
  return readTogether({ project: at(projectRecord, orgSlug, project), record });
}

/**
 * Changes the given fields; values that are already set add no audit entry.
 * @throws template_key_not_found; invalid_request for a pattern that does not compile
 */
export async function updateTemplateKey(
  context: MemberContext,
  path: ProjectPath & { key: string },
  changes: BodyOf<typeof updateContract>,
  begun: Awaited<ReturnType<typeof beginTemplateKey>>,
): Promise<TemplateKeyRecord> {
  const { access, organization } = context;
  const fields = ['description', 'required', 'pattern'] as const;
  const readAgain = () => beginTemplateKey(path);
  return retryWithFreshRead(begun, readAgain, async ({ project: owner, record: current }) => {
    const project = access.requireProject(owner);
    requirePattern(changes.pattern);
    if (current === undefined) throw notFound(path.key);
    const description = changedText(current.description, changes.description);
    const pattern = changedText(current.pattern, changes.pattern);
    const { required = current.required } = changes;
    const set = { description, required, pattern };
    const changed = { ...current, ...set };
    const details = changedFields(current, changed, fields);
    if (details === undefined) return current;
    // The key must be unchanged since it was read, and not a new one with the same name.
    const isSame = { ...asRead(current, fields), createdAt: equals(current.createdAt) };
    const target = { type: 'template_key', id: project.id, name: path.key } as const;
    await transact([
      update(at(templateKeyRecord, organization.slug, project.slug, path.key), { set }, { if: isSame }),
      isStillThere(context, project),
      await context.audit({ action: 'template_key.updated', target, details }),
    ]);
    return changed;
  });
}

/** For an optional field: omitted keeps the current value, null removes it. */
function changedText(current: string | undefined, requested: string | null | undefined): string | undefined {
  return requested === undefined ? current : (requested ?? undefined);
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

/** A pattern reveals something about values, so the audit log keeps it even after the key is removed. */
function detailsOf({ required, pattern }: TemplateKeyRecord): Record<string, string | boolean | null> {
  return { required, pattern: pattern ?? null };
}
