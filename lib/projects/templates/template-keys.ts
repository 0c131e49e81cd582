import { changedFields } from '../../access/changed-fields.ts';
import type { MemberContext } from '../../access/request-context.ts';
import type { BodyOf } from '../../contracts/contract.ts';
import type {
  addTemplateKey as addContract,
  updateTemplateKey as updateContract,
} from '../../contracts/templates/templates.ts';
import { ApiError, invalidRequest, projectNotFound } from '../../core/errors.ts';
import { asRead, equals, isNew } from '../../table/expressions.ts';
import { ranges } from '../../table/keys.ts';
import { at, find, list, readTogether } from '../../table/read.ts';
import {
  type ProjectRecord,
  projectRecord,
  type TemplateKeyRecord,
  templateKeyRecord,
} from '../../table/records/project.ts';
import { check, put, remove, retryWithFreshRead, transact, update, type Write } from '../../table/write.ts';
import { patternProblem } from './pattern.ts';

/** As many as one change of secrets may contain. */
const maximumTemplateKeys = 1000;

interface ProjectPath {
  orgSlug: string;
  project: string;
}

export interface TemplateReads {
  project: ProjectRecord | undefined;
  /** In key order, like the sort keys. */
  template: TemplateKeyRecord[];
}

/** One round trip, to start in parallel with authentication. */
export async function beginTemplate({ orgSlug, project: slug }: ProjectPath): Promise<TemplateReads> {
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
export function templateOf({ id }: ProjectRecord, template: readonly TemplateKeyRecord[]): TemplateKeyRecord[] {
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
  if (template.some(one => one.key === key)) throw alreadyThere();
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
  await transact([
    put(at(templateKeyRecord, organization.slug, project.slug, key), record, { if: isNew, refused: alreadyThere }),
    isStillThere(context, project),
    await context.audit({
      action: 'template_key.added',
      target: { type: 'template_key', id: project.id, name: key },
      details: detailsOf(record),
    }),
  ]);
  return record;
}

/** @throws invalid_request for a pattern that does not compile */
function requirePattern(pattern: string | null | undefined): void {
  const problem = typeof pattern === 'string' ? patternProblem(pattern) : undefined;
  if (problem !== undefined) throw invalidRequest([{ path: 'pattern', message: problem }]);
}

const notFound = (key: string) => new ApiError('template_key_not_found', `The template has no key ${key}.`);

interface TemplateKeyReads {
  project?: ProjectRecord | undefined;
  record?: TemplateKeyRecord | undefined;
}

/** One round trip, to start in parallel with authentication. */
export function beginTemplateKey({ orgSlug, project, key }: ProjectPath & { key: string }): Promise<TemplateKeyReads> {
  return readTogether({
    project: at(projectRecord, orgSlug, project),
    record: at(templateKeyRecord, orgSlug, project, key),
  });
}

/**
 * Changes the given fields; values that are already set add no audit entry.
 * @throws template_key_not_found; invalid_request for a pattern that does not compile
 */
export async function updateTemplateKey(
  context: MemberContext,
  path: ProjectPath & { key: string },
  changes: BodyOf<typeof updateContract>,
  begun: TemplateKeyReads,
): Promise<TemplateKeyRecord> {
  const { access, organization } = context;
  const fields = ['description', 'required', 'pattern'] as const;
  return retryWithFreshRead(
    begun,
    () => beginTemplateKey(path),
    async ({ project: found, record: before }) => {
      const project = access.requireProject(found);
      requirePattern(changes.pattern);
      if (before === undefined) throw notFound(path.key);
      const after: TemplateKeyRecord = {
        ...before,
        description: changed(before.description, changes.description),
        required: changes.required ?? before.required,
        pattern: changed(before.pattern, changes.pattern),
      };
      const details = changedFields(before, after, fields);
      if (details === undefined) return before;
      const { description, required, pattern } = after;
      await transact([
        update(
          at(templateKeyRecord, organization.slug, project.slug, path.key),
          { set: { description, required, pattern } },
          // The key must be unchanged since it was read, and not a new one with the same name.
          { if: { ...asRead(before, fields), createdAt: equals(before.createdAt) } },
        ),
        isStillThere(context, project),
        await context.audit({
          action: 'template_key.updated',
          target: { type: 'template_key', id: project.id, name: path.key },
          details,
        }),
      ]);
      return after;
    },
  );
}

/** For an optional field: omitted keeps the current value, null removes it. */
function changed(before: string | undefined, wanted: string | null | undefined): string | undefined {
  return wanted === undefined ? before : (wanted ?? undefined);
}

/** Checks that the slug still names the same project, because a template is addressed by its project's slug. */
function isStillThere({ organization }: MemberContext, { id, slug }: ProjectRecord): Write {
  return check(at(projectRecord, organization.slug, slug), {
    if: { status: equals('active'), id: equals(id) },
    refused: projectNotFound,
  });
}

/** @throws template_key_not_found */
export async function removeTemplateKey(
  context: MemberContext,
  key: string,
  { project: begun, template }: TemplateReads,
): Promise<void> {
  const project = context.access.requireProject(begun);
  const record = templateOf(project, template).find(one => one.key === key);
  if (record === undefined) throw notFound(key);
  await transact([
    // First, because a recreated project lacks the key too.
    isStillThere(context, project),
    remove(at(templateKeyRecord, context.organization.slug, project.slug, key), {
      // The audit entry names the pattern that was read, so only that key may be removed, not one that was added since.
      if: { createdAt: equals(record.createdAt) },
      refused: () => notFound(key),
    }),
    await context.audit({
      action: 'template_key.removed',
      target: { type: 'template_key', id: project.id, name: key },
      details: detailsOf(record),
    }),
  ]);
}

/** A pattern reveals something about values, so the audit log keeps it even after the key is removed. */
function detailsOf({ required, pattern }: TemplateKeyRecord): Record<string, string | boolean | null> {
  return { required, pattern: pattern ?? null };
}
