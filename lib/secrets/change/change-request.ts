import type { MemberAccess } from '../../access/member-access.ts';
import type { MemberContext } from '../../access/request-context.ts';
import type { newAuditEntry } from '../../audit/write.ts';
import type { AuditAction } from '../../contracts/fields/audit-action.ts';
import type { Precondition } from '../../contracts/fields/preconditions.ts';
import type { ChangePlan } from '../../contracts/secrets/changes.ts';
import type { EnvironmentPath } from '../../table/keys.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import type { ProjectRecord } from '../../table/records/project.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import type { WebhookRecord } from '../../table/records/webhook.ts';
import type { RetryBudget } from '../../table/retry.ts';
import type { Write } from '../../table/write.ts';
import type { KeyRing } from '../engine/key-ring.ts';
import type { staleReadLimit } from '../engine/stale-read.ts';
import type { Ticket } from '../engine/tickets.ts';

/** The options of every change of secrets. */
export interface ChangeOptions {
  /** The revision that the environment must be at. */
  ifMatch: Precondition | undefined;
  /** Why the change is made. */
  message?: string | undefined;
  /** Whether to return the plan without making the change. */
  dryRun: boolean;
}

export interface ChangeRequest<Answer> extends ChangeOptions {
  /** Checks rights beyond write access to the environment. */
  authorize?(access: MemberAccess): void;
  /** Called in each attempt; throws the domain's errors. */
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
  budget: RetryBudget;
  isStale: ReturnType<typeof staleReadLimit>;
}

/** The environment to change, after authorization. */
export interface Target {
  project: ProjectRecord;
  state: EnvironmentState;
  ring: KeyRing;
}

/** The environment before the change. */
export interface CurrentSecrets {
  state: EnvironmentState;
  /** The keys that were read. */
  keys(): string[];
  /** The key's head, deleted or not. */
  head(key: string): HeadRecord | undefined;
  /**
   * Whether the key has that value. False if the caller may not read the environment, because such a writer could guess
   * values and see whether anything changes.
   */
  hasValue(key: string, value: string): Promise<boolean>;
}

export interface Decision<Answer> {
  puts: readonly { key: string; value: string }[];
  /** Keys that exist. */
  deletions: readonly string[];
  /** Keys that already have their value. */
  unchanged?: readonly string[];
  /** Keys left unchanged for another reason. */
  skipped?: readonly string[];
  /** The change's name in the audit log and the history. */
  action: AuditAction;
  /** The revision that the values come from, for restorations. */
  restored?: number;
  /** The environment that the values come from, for promotions. */
  from?: Source;
  answer(result: ChangeResult): Answer;
}

/** The environment that values are copied from. The change commits only if it is still at that revision. */
export interface Source {
  path: EnvironmentPath;
  id: string;
  slug: string;
  revision: number;
  check: Write;
}

/** The environment after the change, even if nothing changed. */
export interface ChangeResult {
  changed: boolean;
  revision: number;
  /** In the order of the request. */
  plan: ChangePlan;
  head(key: string): HeadRecord | undefined;
}
