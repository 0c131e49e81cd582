import * as z from 'zod';
import { contract } from './contract.ts';
import { changes } from './fields/changes.ts';
import { EnvironmentType } from './fields/environment-type.ts';
import { roles } from './fields/role.ts';
import { Rotation } from './fields/rotation.ts';
import { Success } from './fields/success.ts';
import { Name, Slug, Timestamp, text, Uuid } from './fields/text.ts';

const area = 'projects';

export const Environment = z
  .object({
    id: Uuid.meta({ description: 'Environment identifier.', example: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094' }),
    slug: Slug.meta({ description: 'Unique within its project. It never changes.', example: 'staging' }),
    name: z.string().meta({ description: 'Display name.', example: 'Staging' }),
    type: EnvironmentType,
    revision: z.int().meta({ description: 'Goes up by one with each accepted change of its secrets.', example: 17 }),
    secretCount: z.int().meta({ description: 'The number of secrets in it, without deleted ones.', example: 42 }),
    createdAt: Timestamp.meta({ description: 'When it was created.' }),
  })
  .meta({ id: 'Environment', description: 'A set of secrets, for example for one stage of deployment.' });
export type Environment = z.infer<typeof Environment>;

export const Project = z
  .object({
    id: Uuid.meta({ description: 'Project identifier.', example: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73' }),
    slug: Slug.meta({ description: 'Unique within its organization. It never changes.', example: 'web-shop' }),
    name: z.string().meta({ description: 'Display name.', example: 'Web shop' }),
    description: z.string().nullable().meta({ description: 'What the project is about.', example: 'The public shop.' }),
    keyVersion: z.int().meta({ description: 'The version of the key that encrypts new values.', example: 1 }),
    rotation: Rotation.nullable().meta({ description: 'The last key rotation; null before the first one.' }),
    environments: z
      .array(Environment)
      .meta({ description: 'Its environments. A limited token sees only those in its scope.' }),
    createdAt: Timestamp.meta({ description: 'When it was created.' }),
  })
  .meta({ id: 'Project', description: 'Environments that share an encryption key and a template.' });
export type Project = z.infer<typeof Project>;

const createdAt = '2026-01-31T09:26:53.589Z';
const environmentExample = {
  id: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094',
  slug: 'staging',
  name: 'Staging',
  type: 'staging',
  revision: 0,
  secretCount: 0,
  createdAt,
} as const;
const projectExample = {
  id: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73',
  slug: 'web-shop',
  name: 'Web shop',
  description: 'The public shop.',
  keyVersion: 1,
  rotation: null,
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
  createdAt,
} as const;

export const listProjects = /* @__PURE__ */ contract({
  operationId: 'list-projects',
  area,
  method: 'GET',
  path: '/v1/projects/{orgId}',
  summary: 'List the projects of an organization',
  description:
    'Lists the projects with their environments. A token that is limited to a project sees only that project.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment' },
  responses: {
    200: {
      description: 'The projects, by slug.',
      body: z.object({ projects: z.array(Project).meta({ description: 'The projects, by slug.' }) }),
      example: { projects: [projectExample] },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'Query', 'UpdateItem'], reads: ['ENV'] },
});

export const createProject = /* @__PURE__ */ contract({
  operationId: 'create-project',
  area,
  method: 'POST',
  path: '/v1/projects/{orgId}',
  summary: 'Create a project',
  description:
    'Creates a project with its own encryption key and the environments `dev`, `staging` and `production`. Without a ' +
    'slug, one is made from the name. A slug that is taken is refused, so a script that runs twice makes one project.',
  access: { kind: 'member', roles: ['owner', 'admin'], tokens: 'full', narrowestToken: 'organization' },
  body: z.strictObject({
    name: Name.meta({ description: 'Display name.', example: 'Web shop' }),
    slug: Slug.optional().meta({
      description: 'The slug. Without it, one is made from the name.',
      example: 'web-shop',
    }),
    description: text(0, 1000)
      .optional()
      .meta({ description: 'What the project is about.', example: 'The public shop.' }),
  }),
  bodyExample: { name: 'Web shop', slug: 'web-shop', description: 'The public shop.' },
  responses: {
    201: {
      description: 'The project with its environments.',
      body: z.object({ project: Project }),
      example: { project: projectExample },
    },
  },
  errors: ['plan_limit_exceeded', 'slug_taken'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
    reads: ['PLANS'],
    writes: ['ORG', 'ENV', 'PLATFORM', 'AUDIT'],
    key: { project: ['GenerateDataKey'] },
  },
});

export const getProject = /* @__PURE__ */ contract({
  operationId: 'get-project',
  area,
  method: 'GET',
  path: '/v1/projects/{orgId}/{slug}',
  summary: 'Get a project',
  description:
    'Returns the project with its environments and the state of its key rotation. A limited token sees only the ' +
    'environments in its scope.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment' },
  responses: {
    200: { description: 'The project.', body: z.object({ project: Project }), example: { project: projectExample } },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'GetItem', 'Query', 'UpdateItem'], reads: ['ENV'] },
});

export const updateProject = /* @__PURE__ */ contract({
  operationId: 'update-project',
  area,
  method: 'PATCH',
  path: '/v1/projects/{orgId}/{slug}',
  summary: 'Change a project',
  description:
    'Changes the name, the description or both. The description `null` removes it. The slug stays. For owners and admins.',
  access: { kind: 'member', roles: ['owner', 'admin'], tokens: 'full', narrowestToken: 'project' },
  body: changes({
    name: Name.optional().meta({ description: 'Display name.', example: 'Web shop' }),
    description: text(0, 1000)
      .nullable()
      .optional()
      .meta({ description: 'What the project is about; null for nothing.', example: 'The public shop.' }),
  }),
  bodyExample: { name: 'Web shop', description: 'The public shop and its admin area.' },
  responses: {
    200: {
      description: 'The project.',
      body: z.object({ project: Project }),
      example: { project: { ...projectExample, description: 'The public shop and its admin area.' } },
    },
  },
  errors: [],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem'],
    reads: ['ORGID', 'ENV'],
    writes: ['ORG', 'AUDIT'],
  },
});

export const deleteProject = /* @__PURE__ */ contract({
  operationId: 'delete-project',
  area,
  method: 'DELETE',
  path: '/v1/projects/{orgId}/{slug}',
  summary: 'Delete a project',
  description:
    'Makes the project unreachable at once and destroys its wrapped data key, so that none of its values can be decrypted ' +
    'any more. The stored data is erased in the background. For owners only.',
  access: { kind: 'member', roles: ['owner'], tokens: 'full', narrowestToken: 'project', fresh: 'always' },
  responses: { 200: { description: 'The project is deleted.', body: Success, example: { success: true } } },
  errors: [],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem'],
    reads: ['ORGID'],
    writes: ['ORG', 'ENV', 'PLATFORM', 'AUDIT'],
    queues: ['jobs'],
  },
});

export const createEnvironment = /* @__PURE__ */ contract({
  operationId: 'create-environment',
  area,
  method: 'POST',
  path: '/v1/projects/{orgId}/{slug}/environments',
  summary: 'Create a custom environment',
  description:
    'Adds an environment to the project. Its type decides which roles can read and write its secrets. The default is ' +
    '`production`, which only owners and admins can read. For every member.',
  access: { kind: 'member', roles, tokens: 'full', narrowestToken: 'project' },
  body: z.strictObject({
    name: Name.meta({ description: 'Display name.', example: 'Load test' }),
    slug: Slug.optional().meta({
      description: 'The slug. Without it, one is made from the name.',
      example: 'load-test',
    }),
    type: EnvironmentType.default('production').meta({ example: 'staging' }),
  }),
  bodyExample: { name: 'Load test', slug: 'load-test', type: 'staging' },
  responses: {
    201: {
      description: 'The new environment, which is empty.',
      body: z.object({ environment: Environment }),
      example: {
        environment: {
          ...environmentExample,
          id: 'e85d2c17-7a94-4f03-8b6e-1c3f9d5a0b28',
          slug: 'load-test',
          name: 'Load test',
        },
      },
    },
  },
  errors: ['plan_limit_exceeded', 'slug_taken'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
    reads: ['PLANS'],
    writes: ['ORG', 'ENV', 'AUDIT'],
  },
});

export const updateEnvironment = /* @__PURE__ */ contract({
  operationId: 'update-environment',
  area,
  method: 'PATCH',
  path: '/v1/projects/{orgId}/{slug}/environments/{env}',
  summary: 'Change an environment',
  description:
    'Changes the name, the type or both. The slug stays. For owners and admins; only owners may change the type, which ' +
    'decides which roles can read and write the secrets.',
  access: { kind: 'member', roles: ['owner', 'admin'], tokens: 'full', narrowestToken: 'project' },
  body: changes({
    name: Name.optional().meta({ description: 'Display name.', example: 'Development' }),
    type: EnvironmentType.optional(),
  }),
  bodyExample: { name: 'Local development' },
  responses: {
    200: {
      description: 'The environment.',
      body: z.object({ environment: Environment }),
      example: {
        environment: { ...projectExample.environments[0], name: 'Local development' },
      },
    },
  },
  errors: [],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'],
    reads: ['ORGID', 'ENV'],
    writes: ['ORG', 'ENV', 'AUDIT'],
  },
});

export const deleteEnvironment = /* @__PURE__ */ contract({
  operationId: 'delete-environment',
  area,
  method: 'DELETE',
  path: '/v1/projects/{orgId}/{slug}/environments/{env}',
  summary: 'Delete an environment',
  description:
    'Makes the environment and the history of its secrets unreachable at once and erases them in the background. The ' +
    'slug can be used again when that is done. Webhooks that are limited to the environment are deleted with it. For ' +
    'owners and admins.',
  access: { kind: 'member', roles: ['owner', 'admin'], tokens: 'full', narrowestToken: 'project', fresh: 'always' },
  responses: { 200: { description: 'The environment is deleted.', body: Success, example: { success: true } } },
  errors: [],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'],
    reads: ['ORGID', 'ENV'],
    writes: ['ORG', 'ENV', 'AUDIT'],
    queues: ['jobs'],
  },
});

export const rotateKey = /* @__PURE__ */ contract({
  operationId: 'rotate-key',
  area,
  method: 'POST',
  path: '/v1/projects/{orgId}/{slug}/rotate-key',
  summary: 'Rotate the encryption key',
  description:
    'Creates a new data key for new values and re-encrypts everything that is stored, including the history. Reads and ' +
    'writes continue throughout. On completion the old wrapped key is deleted. `project.rotation` shows the progress. ' +
    'For owners and admins.',
  access: { kind: 'member', roles: ['owner', 'admin'], tokens: 'full', narrowestToken: 'project', fresh: 'always' },
  responses: {
    200: {
      description: 'The rotation is complete: there was nothing to re-encrypt.',
      body: z.object({ project: Project, rotation: Rotation }),
      example: {
        project: {
          ...projectExample,
          keyVersion: 2,
          rotation: { status: 'completed', fromVersion: 1, toVersion: 2, reencrypted: 0, total: 0 },
        },
        rotation: { status: 'completed', fromVersion: 1, toVersion: 2, reencrypted: 0, total: 0 },
      },
    },
    202: {
      description: 'The new key is in use. Re-encryption continues in the background.',
      body: z.object({ project: Project, rotation: Rotation }),
      example: {
        project: {
          ...projectExample,
          keyVersion: 2,
          rotation: { status: 'in_progress', fromVersion: 1, toVersion: 2, reencrypted: 0, total: 310 },
        },
        rotation: { status: 'in_progress', fromVersion: 1, toVersion: 2, reencrypted: 0, total: 310 },
      },
    },
  },
  errors: ['rotation_in_progress'],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem'],
    reads: ['ORGID', 'ENV'],
    writes: ['ORG', 'ENV', 'AUDIT'],
    key: { project: ['GenerateDataKey'] },
    queues: ['jobs'],
  },
});
