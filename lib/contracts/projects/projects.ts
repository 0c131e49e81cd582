import * as z from 'zod';
import { contract, created, ok, succeeds } from '../contract.ts';
import { changes } from '../fields/bodies.ts';
import { keepQuery } from '../fields/query.ts';
import { EnvironmentType, managers, roles } from '../fields/role.ts';
import { EnvironmentId, Name, newSlug, ProjectId, Slug, Timestamp, text } from '../fields/text.ts';

export const Rotation = z
  .object({
    status: z.enum(['in_progress', 'completed']).meta({ description: 'Whether it has ended.', example: 'completed' }),
    fromVersion: z.int().meta({ description: 'The version of the key that is being replaced.', example: 1 }),
    toVersion: z.int().meta({ description: 'The version of the key that replaces it.', example: 2 }),
    reencrypted: z.int().meta({ description: 'Values re-encrypted so far, including the history.', example: 310 }),
    total: z.int().meta({ description: 'All values to re-encrypt, including the history.', example: 310 }),
  })
  .meta({ id: 'Rotation', description: 'The last rotation of a project’s encryption key.' });
export type Rotation = z.infer<typeof Rotation>;

export const Environment = z
  .object({
    id: EnvironmentId.describe('Environment identifier.'),
    slug: Slug.meta({ description: 'Unique within its project. It never changes.', example: 'staging' }),
    name: z.string().meta({ description: 'Display name.', example: 'Staging' }),
    type: EnvironmentType,
    revision: z.int().meta({ description: 'Increases by one with each accepted change to the secrets.', example: 17 }),
    secretCount: z.int().meta({ description: 'The number of secrets, excluding deleted ones.', example: 42 }),
    approvals: z.int().meta({ description: 'How many people must approve each change of its secrets.', example: 0 }),
    createdAt: Timestamp.describe('When it was created.'),
  })
  .meta({ id: 'Environment', description: 'A set of secrets, for example for one deployment stage.' });
export type Environment = z.infer<typeof Environment>;

export const environmentExample = { type: 'staging', revision: 0, secretCount: 0 } as const;

export const Project = z
  .object({
    id: ProjectId.describe('Project identifier.'),
    slug: Slug.meta({ description: 'Unique within its organization. It never changes.', example: 'web-shop' }),
    name: z.string().meta({ description: 'Display name.', example: 'Web shop' }),
    description: z.string().nullable().meta({ description: 'The description.', example: 'The public shop.' }),
    keyVersion: z.int().meta({ description: 'The version of the key that encrypts new values.', example: 1 }),
    rotation: Rotation.nullable().describe('The last key rotation; null before the first one.'),
    environments: z.array(Environment).describe('Its environments. A limited token sees only those in its scope.'),
    createdAt: Timestamp.describe('When it was created.'),
  })
  .meta({ id: 'Project', description: 'Environments that share an encryption key and a template.' });
export type Project = z.infer<typeof Project>;

export const projectExample = {
  environments: [
    {
      ...environmentExample,
      id: 'a2f6c8d1-4e3b-47a9-9c50-6b1d8e7f2a34',
      slug: 'dev',
      name: 'Development',
      type: 'development',
    },
    environmentExample,
    {
      ...environmentExample,
      id: 'd93b7e50-1f8c-4a26-b4d7-5e0a9c6f3182',
      slug: 'production',
      name: 'Production',
      type: 'production',
    },
  ],
} as const;

const projectBody = { body: z.object({ project: Project }), example: { project: projectExample } };

export const listProjects = contract({
  operationId: 'list-projects',
  route: 'GET /v1/projects/{orgId}',
  summary: 'List the projects of an organization',
  description: 'Lists the projects with their environments. A token limited to a project sees only that project.',
  access: {
    kind: 'member',
    roles,
    tokens: 'read',
    narrowestToken: 'environment',
    limitedMembers: true,
    names: 'always',
  },
  responses: ok({
    description: 'The projects, by slug.',
    body: z.object({ projects: z.array(Project).describe('The projects, by slug.') }),
    example: { projects: [projectExample] },
  }),
  uses: { table: { BatchGetItem: ['ENV'], Query: ['ORG'] } },
});

export const createProject = contract({
  operationId: 'create-project',
  route: 'POST /v1/projects/{orgId}',
  summary: 'Create a project',
  description:
    'Creates a project with its own encryption key and the environments `dev`, `staging` and `production`. A slug ' +
    'that is taken is rejected, so a script that runs twice creates only one project; if the slug belongs to a ' +
    'project that is being erased, the request first waits up to 10 seconds for that. Reusing the slug of a deleted ' +
    'project requires a fresh session if more roles could read one of the three environments than before.',
  // Reusing a slug with a more open type is like changing the type of the deleted environment.
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'organization', fresh: 'by-content' },
  body: z.strictObject({
    name: Name.meta({ description: 'Display name.', example: 'Web shop' }),
    slug: newSlug('web-shop'),
    description: text(0, 1000).optional().meta({ description: 'The description.', example: 'The public shop.' }),
  }),
  bodyExample: { name: 'Web shop', slug: 'web-shop', description: 'The public shop.' },
  responses: created({ description: 'The project with its environments.', ...projectBody }),
  errors: ['plan_limit_exceeded', 'slug_taken'],
  uses: {
    table: {
      GetItem: ['ORG'],
      ConditionCheckItem: ['ORG'],
      PutItem: ['AUDIT', 'ENV', 'ORG'],
      UpdateItem: ['ORG', 'PLATFORM'],
    },
    key: { project: ['GenerateDataKey'] },
  },
});

export const getProject = contract({
  operationId: 'get-project',
  route: 'GET /v1/projects/{orgId}/{slug}',
  summary: 'Get a project',
  description: 'Returns the project, its environments and key rotation. A limited token sees only its environments.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment', granted: true, names: 'always' },
  responses: ok({ description: 'The project.', ...projectBody }),
  uses: { table: { GetItem: ['ORG'], BatchGetItem: ['ENV'], Query: ['ORG'] } },
});

export const updateProject = contract({
  operationId: 'update-project',
  route: 'PATCH /v1/projects/{orgId}/{slug}',
  summary: 'Change a project',
  description: 'Changes the name, the description or both. A `null` description removes it. The slug stays the same.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'project' },
  body: changes({
    name: Name.optional().meta({ description: 'Display name.', example: 'Web shop' }),
    description: text(0, 1000)
      .nullable()
      .optional()
      .meta({ description: 'A description of the project; null for none.', example: 'The public shop.' }),
  }),
  bodyExample: { name: 'Web shop', description: 'The public shop and its admin area.' },
  responses: ok({
    description: 'The project.',
    body: z.object({ project: Project }),
    example: { project: { ...projectExample, description: 'The public shop and its admin area.' } },
  }),
  uses: {
    table: {
      GetItem: ['ORG', 'ORGID'],
      BatchGetItem: ['ENV'],
      Query: ['ORG'],
      PutItem: ['AUDIT'],
      UpdateItem: ['ORG'],
    },
  },
});

export const deleteProject = contract({
  operationId: 'delete-project',
  route: 'DELETE /v1/projects/{orgId}/{slug}',
  summary: 'Delete a project',
  description:
    'Makes the project inaccessible at once and destroys its data key, so its values can never be decrypted again. ' +
    'The stored data is erased in the background. With `keepDays`, an owner can restore it as it was until then, and ' +
    'the key is destroyed when it is erased.',
  access: { kind: 'member', roles: ['owner'], tokens: 'full', narrowestToken: 'project', fresh: 'always' },
  query: z.strictObject(keepQuery),
  responses: succeeds('The project was deleted.'),
  uses: {
    table: {
      GetItem: ['ORG', 'ORGID'],
      Query: ['ORG'],
      ConditionCheckItem: ['ORG'],
      PutItem: ['AUDIT', 'UNFINISHED'],
      UpdateItem: ['ENV', 'ORG', 'PLATFORM'],
    },
    queues: ['jobs'],
  },
});

function response(description: string, shown: Pick<Rotation, 'status' | 'total'>) {
  const rotation = { ...shown, fromVersion: 1, toVersion: 2, reencrypted: 0 };
  return {
    description,
    body: z.object({ project: Project, rotation: Rotation }),
    example: { project: { ...projectExample, keyVersion: 2, rotation }, rotation },
  };
}

export const rotateKey = contract({
  operationId: 'rotate-key',
  route: 'POST /v1/projects/{orgId}/{slug}/rotate-key',
  summary: 'Rotate the encryption key',
  description:
    'Creates a data key for new values and re-encrypts all others, including the history. Reads and writes continue. ' +
    'At the end, the old key is deleted. `project.rotation` shows the progress.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'project', fresh: 'always' },
  responses: {
    200: response('The rotation is complete: there was nothing to re-encrypt.', { status: 'completed', total: 0 }),
    202: response('The new key is in use. Re-encryption continues.', { status: 'in_progress', total: 310 }),
  },
  errors: ['rotation_in_progress'],
  uses: {
    table: {
      GetItem: ['ORG', 'ORGID'],
      BatchGetItem: ['ENV'],
      Query: ['ENV', 'ORG'],
      PutItem: ['AUDIT', 'UNFINISHED'],
      UpdateItem: ['ENV', 'ORG'],
    },
    key: { project: ['GenerateDataKey'] },
    queues: ['jobs'],
  },
});
