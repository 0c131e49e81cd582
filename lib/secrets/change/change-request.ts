import type { MemberAccess } from '../../access/member-access.ts';
import type { MemberContext } from '../../access/request-context.ts';
import type { newAuditEntry } from '../../audit/write.ts';
import type { AuditAction } from '../../contracts/fields/audit-action.ts';
import type { Precondition } from '../../contracts/fields/preconditions.ts';
import type { ChangePlan, DryRun } from '../../contracts/secrets/changes.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import type { ProjectKeys } from '../../table/records/project.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import type { WebhookRecord } from '../../table/records/webhook.ts';
import type { RetryBudget } from '../../table/retry.ts';
import type { Write } from '../../table/write.ts';
import type { KeyRing } from '../engine/key-ring.ts';
import type { RevisionApproval } from '../engine/revision-writes.ts';
import type { staleReadLimit } from '../engine/stale-read.ts';
import type { Ticket } from '../engine/tickets.ts';

export interface ChangeOptions {
  ifMatch: Precondition | undefined;
  message?: string | undefined;
  dryRun: boolean;
  /** The reason for a change without the approvals that the environment requires. */
  bypass?: string | undefined;
  /** Stores what a dry run decided as a proposal. */
  propose?(target: Target, decided: Decided<unknown>): Promise<void>;
  /** The proposal that this change applies. */
  approved?: ApprovedProposal;
}

/** A proposal that enough people have approved, as far as the change that applies it needs it. */
export interface ApprovedProposal extends RevisionApproval {
  author: HeadRecord['updatedBy'];
  /** Whether the author may read the environment. The author's rights decide what the change may do. */
  authorMayRead(state: EnvironmentState): boolean;
  /** The writes that close the proposal, in the change's commit, if it may still be applied. */
  close(target: Target): Promise<readonly Write[]>;
}

export interface ChangeRequest<Answer> extends ChangeOptions {
  /** Checks rights beyond write access to the environment. */
  authorize?(access: MemberAccess): void;
  decide(current: CurrentSecrets): Promise<Decision<Answer>>;
}

/** A request, together with everything that is needed to read, decide, write and publish its change. */
export interface Change<Answer> extends ChangeRequest<Answer> {
  context: MemberContext;
  path: EnvironmentPath;
  webhooks: readonly WebhookRecord[];
  /** The same in all attempts, so that the change is made once. */
  entry: ReturnType<typeof newAuditEntry>;

  ticket: Ticket;
  /** Whether the mail about a bypass is queued, once for all attempts. */
  isBypassMailed?: true;
  budget: RetryBudget;
  isStale: ReturnType<typeof staleReadLimit>;
}

export interface Target {
  project: ProjectKeys;
  state: EnvironmentState;
  ring: KeyRing;
}

export interface CurrentSecrets {
  state: EnvironmentState;
  ring: KeyRing;
  keys(): string[];
  head(key: string): HeadRecord | undefined;
  /**
   * Whether the key has that value, with the same `expand`. False if the caller may not know the environment's values,
   * because such a writer could guess values and see whether anything changes, and for a value that was generated.
   */
  hasValue(put: Put): Promise<boolean>;
}

/** A value to set. With `expand`, it may name other keys. */
export interface Put {
  key: string;
  value: string;
  expand?: boolean | undefined;
  /** The service made the value, so nobody knows it. */
  generated?: boolean | undefined;
}

export interface Decision<Answer> {
  puts: readonly Put[];
  deletions: readonly string[];
  unchanged?: readonly string[];
  skipped?: readonly string[];
  action: AuditAction;
  restored?: number;
  from?: Source;
  answer(result: ChangeResult): Answer;
}

/** The environment that values are copied from. A promotion commits only if it is still at that revision. */
export interface Source {
  path: EnvironmentPath;
  id: string;
  slug: string;
  revision: number;
  /** Absent for a proposal, which has the values of an earlier moment. */
  check?: Write;
}

export interface ChangeResult {
  changed: boolean;
  revision: number;
  plan: ChangePlan;
  head(key: string): HeadRecord | undefined;
}

export interface Decided<Answer> {
  decision: Decision<Answer>;
  /** The current heads, or tombstones, by key; at least those of the changed keys. */
  before: ReadonlyMap<string, HeadRecord>;
  /** False if a dry run has read no tombstones. */
  hasTombstones: boolean;
  /** The new heads, still without ciphertexts. Empty if nothing changes. */
  heads: HeadRecord[];
  plan: ChangePlan;
  /** False for a dry run, and if nothing changes. */
  isWritten: boolean;
  answer: Answer | DryRun;
}
