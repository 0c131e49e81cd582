import * as z from 'zod';
import { contract } from './contract.ts';
import { EnvironmentType } from './fields/environment-type.ts';
import { roles } from './fields/role.ts';
import { Success } from './fields/success.ts';
import { Name, Slug, Timestamp, text, Uuid } from './fields/text.ts';

const area = 'projects';

export const Environment = z
  .object({
    id: Uuid.meta({ description: 'Environment identifier.', example: 'c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094' }),
    slug: Slug.meta({ description: 'Unique in its project, never changes.', example: 'staging' }),
    name: z.string().meta({ description: 'Display name.', example: 'Staging' }),
    type: EnvironmentType,
    revision: z.int().meta({ description: 'Raised by one for each accepted change of its secrets.', example: 17 }),
    secretCount: z.int().meta({ description: 'Secrets in it, deleted ones not counted.', example: 42 }),
    createdAt: Timestamp.meta({ description: 'When it was created.' }),
  })
  .meta({ id: 'Environment', description: 'A set of secrets, such as those of one stage of deployment.' });
export type Environment = z.infer<typeof Environment>;

export const rotationStatuses = ['in_progress', 'completed'] as const;
export const Rotation = z
  .object({
    status: z.enum(rotationStatuses).meta({ description: 'Whether re-encryption goes on.', example: 'completed' }),
    fromVersion: z.int().meta({ description: 'The key version that is replaced.', example: 1 }),
    toVersion: z.int().meta({ description: 'The key version in its place.', example: 2 }),
    reencrypted: z.int().meta({ description: 'Stored values re-encrypted so far, history included.', example: 310 }),
    total: z.int().meta({ description: 'Stored values to re-encrypt, history included.', example: 310 }),
  })
  .meta({ id: 'Rotation', description: 'The last rotation of a project’s encryption key.' });
export type Rotation = z.infer<typeof Rotation>;

export const Project = z
  .object({
    id: Uuid.meta({ description: 'Project identifier.', example: '7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73' }),
    slug: Slug.meta({ description: 'Unique in its organization, never changes.', example: 'web-shop' }),
    name: z.string().meta({ description: 'Display name.', example: 'Web shop' }),
    description: z.string().nullable().meta({ description: 'What the project is.', example: 'The public shop.' }),
    keyVersion: z.int().meta({ description: 'The version of the encryption key that new values get.', example: 1 }),
    rotation: Rotation.nullable().meta({ description: 'The last key rotation; null before the first.' }),
    environments: z.array(Environment).meta({ description: 'Its environments; a limited token sees only its own.' }),
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
  description: 'Lists the projects with their environments. A token limited to a project sees that one alone.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment' },
  responses: {
    200: {
      description: 'The projects, by slug.',
      body: z.object({ projects: z.array(Project).meta({ description: 'The projects, by slug.' }) }),
      example: { projects: [projectExample] },
    },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'Query', 'UpdateItem'] },
});

export const createProject = /* @__PURE__ */ contract({
  operationId: 'create-project',
  area,
  method: 'POST',
  path: '/v1/projects/{orgId}',
  summary: 'Create a project',
  description:
    'Creates a project with its own encryption key and the environments `dev`, `staging` and `production`. The slug is ' +
    'made from the name where omitted. A slug that is taken is refused, so a script that runs twice makes one project.',
  access: { kind: 'member', roles: ['owner', 'admin'], tokens: 'full', narrowestToken: 'organization' },
  body: z.strictObject({
    name: Name.meta({ description: 'Display name.', example: 'Web shop' }),
    slug: Slug.optional().meta({ description: 'Made from the name where omitted.', example: 'web-shop' }),
    description: text(0, 1000).optional().meta({ description: 'What the project is.', example: 'The public shop.' }),
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
    table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'],
    key: ['GenerateDataKey'],
  },
});

export const getProject = /* @__PURE__ */ contract({
  operationId: 'get-project',
  area,
  method: 'GET',
  path: '/v1/projects/{orgId}/{slug}',
  summary: 'Get a project',
  description:
    'The project with its environments and the state of its key rotation. A limited token sees only its own.',
  access: { kind: 'member', roles, tokens: 'read', narrowestToken: 'environment' },
  responses: {
    200: { description: 'The project.', body: z.object({ project: Project }), example: { project: projectExample } },
  },
  errors: [],
  uses: { table: ['BatchGetItem', 'GetItem', 'Query', 'UpdateItem'] },
});

export const deleteProject = /* @__PURE__ */ contract({
  operationId: 'delete-project',
  area,
  method: 'DELETE',
  path: '/v1/projects/{orgId}/{slug}',
  summary: 'Delete a project',
  description:
    'The project is out of reach at once and its wrapped data key is destroyed, so nothing of it can be decrypted any ' +
    'more; what is stored under it is erased in the background. Owners only.',
  access: { kind: 'member', roles: ['owner'], tokens: 'full', narrowestToken: 'project' },
  responses: { 200: { description: 'The project is deleted.', body: Success, example: { success: true } } },
  errors: [],
  uses: {
    table: ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem'],
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
    'Adds an environment to the project. Its type decides which roles read and write its secrets: without one it is ' +
    '`production`, for owners and admins to read. Every member may create one.',
  access: { kind: 'member', roles, tokens: 'full', narrowestToken: 'project' },
  body: z.strictObject({
    name: Name.meta({ description: 'Display name.', example: 'Load test' }),
    slug: Slug.optional().meta({ description: 'Made from the name where omitted.', example: 'load-test' }),
    type: EnvironmentType.default('production').meta({ example: 'staging' }),
  }),
  bodyExample: { name: 'Load test', slug: 'load-test', type: 'staging' },
  responses: {
    201: {
      description: 'The environment, still empty.',
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
  uses: { table: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'] },
});

export const rotateKey = /* @__PURE__ */ contract({
  operationId: 'rotate-key',
  area,
  method: 'POST',
  path: '/v1/projects/{orgId}/{slug}/rotate-key',
  summary: 'Rotate the encryption key',
  description:
    'Makes a new data key for new values and re-encrypts everything stored, history included; reads and writes go on ' +
    'throughout. When it completes, the old wrapped key is deleted. Its progress is `project.rotation`.',
  access: { kind: 'member', roles: ['owner', 'admin'], tokens: 'full', narrowestToken: 'project' },
  responses: {
    200: {
      description: 'The key is rotated: there was nothing to re-encrypt.',
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
      description: 'The new key is in use; re-encryption goes on in the background.',
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
    key: ['GenerateDataKey'],
    queues: ['jobs'],
  },
});
