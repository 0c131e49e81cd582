import type { components } from './api-types.ts';

type Schemas = components['schemas'];
/** The answer of a write that is not a dry run. */
type Done<Name extends keyof Schemas> = Exclude<Schemas[Name], { dryRun: true }>;

export type KeyList = Schemas['ListKeysResponse'];
export type History = Schemas['ListVersionsResponse'];
export type Validation = Schemas['ValidateEnvironmentResponse'];
export type SetResult = Done<'SetSecretResponse200'>;
export type ImportResult = Done<'ImportSecretsResponse'>;
export type DeleteResult = Done<'BulkDeleteSecretsResponse'>;
export type PromoteResult = Done<'PromoteSecretsResponse'>;
export type SecretEntry = Schemas['SecretEntry'];

interface Author {
  id: string;
  email: string;
}

/** One accepted change of an environment. */
export interface RevisionEntry {
  revision: number;
  /** The action of its audit entry, such as `secret.changed`; null for a change from before revisions were recorded. */
  action: string | null;
  message: string | null;
  createdAt: string;
  /** Null for a repair by an operator. */
  createdBy: Author | null;
  created: string[];
  updated: string[];
  deleted: string[];
  /** The source of the promotion. */
  from?: { slug: string; revision: number };
  /** The revision that was restored. */
  restored?: number;
}

export interface RevisionList {
  /** Newest first. */
  revisions: RevisionEntry[];
  /** For `before` of the next page; null on the last one. */
  next: number | null;
}

/** What differs between two revisions; values only if requested. */
export interface Diff {
  from: number;
  to: number;
  created: { key: string; after?: string }[];
  updated: { key: string; before?: string; after?: string }[];
  deleted: { key: string; before?: string }[];
}

/** What differs between two environments; values only if requested. */
export interface Comparison {
  from: { slug: string; revision: number };
  to: { slug: string; revision: number };
  onlyFrom: { key: string; from?: string }[];
  onlyTo: { key: string; to?: string }[];
  different: { key: string; from?: string; to?: string }[];
  same: string[];
}

export interface ChangeResult {
  created: string[];
  updated: string[];
  unchanged: string[];
  deleted: string[];
  revision: number;
}

export interface RestoreResult extends ChangeResult {
  /** The revision that was restored. */
  restored: number;
}

/** The answer of a dry run: what the same request would do at `revision`. */
export interface DryRun {
  dryRun: true;
  plan: { created: string[]; updated: string[]; unchanged: string[]; deleted: string[]; skipped: string[] };
  revision: number;
  /** Only of a change by dotenv text. */
  ambiguous?: NonNullable<ImportResult['ambiguous']>;
}
