import type { EnvironmentType } from '../../../lib/contracts/fields/environment-type.ts';
import type { Organization } from '../../../lib/contracts/fields/organization.ts';
import type { Role } from '../../../lib/contracts/fields/role.ts';
import type { Environment, Project } from '../../../lib/contracts/projects.ts';
import type { TemplateKey } from '../../../lib/contracts/templates.ts';
import type { Plan } from './secrets/plan.ts';

type Keys = string[];
interface Author {
  id: string;
  email: string;
}
interface Op<Query, Body, Answer> {
  query: Query;
  body: Body;
  answer: Answer;
}
interface Entry {
  key: string;
  version: number;
  createdAt: string;
  updatedAt: string;
  updatedBy: Author;
}
export interface RevisionEntry {
  revision: number;
  action: string;
  message: string | null;
  createdAt: string;
  createdBy: Author | null;
  created: Keys;
  updated: Keys;
  deleted: Keys;
  from?: { slug: string; revision: number };
  restored?: number;
}
interface ChangeAnswer {
  created: Keys;
  updated: Keys;
  unchanged: Keys;
  deleted: Keys;
  revision: number;
  plan?: Plan;
}
type DryRun = { dryRun?: boolean };

/** The operations whose contracts are not declared yet. */
export interface RevisionRoutes {
  'GET /v1/secrets/{orgSlug}/{project}/{env}': Op<
    { keys?: string; revision?: number },
    never,
    { secrets: (Entry & { value: string })[]; revision: number }
  >;
  'GET /v1/secrets/{orgSlug}/{project}/{env}/keys': Op<
    { revision?: number },
    never,
    { keys: Entry[]; revision: number }
  >;
  'POST /v1/secrets/{orgSlug}/{project}/{env}/changes': Op<
    DryRun,
    { set?: { key: string; value: string; expectedVersion?: number }[]; delete?: Keys; message?: string },
    ChangeAnswer
  >;
  'POST /v1/secrets/{orgSlug}/{project}/{env}/restore': Op<
    DryRun,
    { revision: number; keys?: Keys; message?: string },
    ChangeAnswer & { restored: number }
  >;
  'POST /v1/secrets/{orgSlug}/{project}/promote': Op<
    DryRun,
    { from: string; to: string; keys?: Keys; overwrite?: boolean; message?: string },
    { promoted: Keys; skipped: Keys; unchanged: Keys; revision: number; plan?: Plan }
  >;
  'GET /v1/secrets/{orgSlug}/{project}/{env}/revisions': Op<
    { limit?: number; before?: number | undefined },
    never,
    { revisions: RevisionEntry[]; next: number | null }
  >;
  'GET /v1/secrets/{orgSlug}/{project}/{env}/diff': Op<
    { from: number; to?: number; values?: boolean },
    never,
    {
      from: number;
      to: number;
      created: { key: string; after?: string }[];
      updated: { key: string; before?: string; after?: string }[];
      deleted: { key: string; before?: string }[];
    }
  >;
  'GET /v1/secrets/{orgSlug}/{project}/{env}/compare': Op<
    { with: string; values?: boolean },
    never,
    {
      from: { slug: string; revision: number };
      to: { slug: string; revision: number };
      onlyFrom: { key: string; from?: string }[];
      onlyTo: { key: string; to?: string }[];
      different: { key: string; from?: string; to?: string }[];
      same: Keys;
    }
  >;
  'DELETE /v1/projects/{orgId}/{slug}/environments/{env}': Op<never, never, { success: true }>;
  'PATCH /v1/orgs/{orgId}': Op<never, { name: string }, { organization: Organization }>;
  'PATCH /v1/projects/{orgId}/{slug}': Op<never, { name?: string; description?: string }, { project: Project }>;
  'PATCH /v1/projects/{orgId}/{slug}/environments/{env}': Op<
    never,
    { name?: string; type?: EnvironmentType },
    { environment: Environment }
  >;
  'PATCH /v1/templates/{orgSlug}/{project}/{key}': Op<
    never,
    { description?: string; required?: boolean; pattern?: string },
    { templateKey: TemplateKey }
  >;
}

const managers = ['owner', 'admin'] as const;

/** Who may call the operations above. */
export const undeclaredRoles: Readonly<Record<string, readonly Role[]>> = {
  'rename-organization': managers,
  'update-project': managers,
  'update-environment': managers,
  'delete-environment': managers,
  'update-template-key': managers,
  'restore-secrets': managers,
};
