import { actorOf, auditWrite } from '../../access/audit-write.ts';
import type { EndpointInput } from '../../api/endpoint.ts';
import type {
  addTemplateKey as addContract,
  listTemplateKeys as listContract,
  removeTemplateKey as removeContract,
  TemplateKey,
} from '../../contracts/templates.ts';
import { ApiError, invalidRequest } from '../../core/errors.ts';
import { equals, isNew, isThere } from '../../table/expressions.ts';
import { ranges } from '../../table/keys.ts';
import { type ProjectRecord, projectRecord } from '../../table/records/project.ts';
import { type TemplateKeyRecord, templateKeyRecord } from '../../table/records/template-key.ts';
import { at, check, find, list, put, remove, transact } from '../../table/store.ts';
import { patternProblem } from './pattern.ts';

/** As many as one change of secrets may have. */
const maximumTemplateKeys = 1000;

interface ProjectPath {
  orgSlug: string;
  project: string;
}

export interface BegunTemplate {
  project: ProjectRecord | undefined;
  /** In key order, as their sort keys are. */
  template: TemplateKeyRecord[];
}

/** One wave, to be begun together with authentication. */
export async function beginTemplate({ orgSlug, project: slug }: ProjectPath): Promise<BegunTemplate> {
  const [project, template] = await Promise.all([
    find(at(projectRecord, orgSlug, slug)),
    list(templateKeyRecord, ranges.templateKeys(orgSlug, slug)),
  ]);
  return { project, template };
}

export function beginProject({ orgSlug, project }: ProjectPath): Promise<ProjectRecord | undefined> {
  return find(at(projectRecord, orgSlug, project));
}

export function listTemplateKeys({ access, fetched }: EndpointInput<typeof listContract, BegunTemplate>) {
  access.requireProject(fetched.project);
  return { keys: fetched.template.map(viewOf) };
}

/** @throws template_key_exists; invalid_request for a pattern that does not compile or a template that is full */
export async function addTemplateKey({
  access,
  source,
  params,
  body: { key, description, required, pattern },
  fetched,
}: EndpointInput<typeof addContract, BegunTemplate>) {
  const { organization, principal } = access;
  const project = access.requireProject(fetched.project);
  const problem = pattern === undefined ? undefined : patternProblem(pattern);
  if (problem !== undefined) throw invalidRequest([{ path: 'pattern', message: problem }]);
  const alreadyThere = () => new ApiError('template_key_exists', `The template has the key ${key} already.`);
  if (fetched.template.some(one => one.key === key)) throw alreadyThere();
  if (fetched.template.length >= maximumTemplateKeys) {
    throw invalidRequest([{ path: 'key', message: `a template has at most ${maximumTemplateKeys} keys` }]);
  }
  const record: TemplateKeyRecord = {
    key,
    ...(description === undefined ? {} : { description }),
    required,
    ...(pattern === undefined ? {} : { pattern }),
    createdAt: new Date().toISOString(),
  };
  await transact([
    put(at(templateKeyRecord, params.orgSlug, params.project, key), record, { if: isNew, refused: alreadyThere }),
    // The eraser of a project deleted in this moment may have passed by already.
    check(at(projectRecord, params.orgSlug, params.project), {
      if: { status: equals('active'), id: equals(project.id) },
      refused: () => access.projectNotFound(),
    }),
    await auditWrite(organization, actorOf(principal), source, {
      action: 'template_key.added',
      target: { type: 'template_key', id: project.id, name: key },
    }),
  ]);
  return { templateKey: viewOf(record) };
}

/** @throws template_key_not_found */
export async function removeTemplateKey({
  access,
  source,
  params: { orgSlug, project: slug, key },
  fetched,
}: EndpointInput<typeof removeContract, ProjectRecord | undefined>) {
  const { organization, principal } = access;
  const project = access.requireProject(fetched);
  await transact([
    remove(at(templateKeyRecord, orgSlug, slug, key), {
      if: isThere,
      refused: () => new ApiError('template_key_not_found', `The template has no key ${key}.`),
    }),
    await auditWrite(organization, actorOf(principal), source, {
      action: 'template_key.removed',
      target: { type: 'template_key', id: project.id, name: key },
    }),
  ]);
  return { success: true as const };
}

function viewOf({ key, description, required, pattern, createdAt }: TemplateKeyRecord): TemplateKey {
  return {
    key,
    ...(description === undefined ? {} : { description }),
    required,
    ...(pattern === undefined ? {} : { pattern }),
    createdAt,
  };
}
