import type { newAuditEntry } from '../../access/audit-write.ts';
import type { MemberAccess } from '../../access/member-access.ts';
import type { MemberContext } from '../../access/request-context.ts';
import type { AuditAction } from '../../contracts/fields/audit-action.ts';
import type { Precondition } from '../../contracts/fields/preconditions.ts';
import type { ChangePlan } from '../../contracts/secrets/dry-run.ts';
import type { EnvironmentState } from '../../table/records/environment.ts';
import type { HeadRecord } from '../../table/records/secret.ts';
import type { Write } from '../../table/write.ts';
import type { EnvironmentPath } from '../engine/environment-path.ts';
import type { Ticket } from '../engine/tickets.ts';

/** What every change of secrets takes. */
export interface ChangeOptions {
  /** The revision that the environment must be at. */
  ifMatch: Precondition | undefined;
  /** Why the change is made. */
  message?: string | undefined;
  /** Whether to answer only what the change would do. */
  dryRun: boolean;
}

export interface ChangeRequest<Answer> extends ChangeOptions {
  /** What the change demands of its caller beyond the right to write the environment. */
  authorize?(access: MemberAccess): void;
  /** Called again for each try; throws the domain's errors. */
  decide(current: CurrentSecrets): Promise<Decision<Answer>>;
}

/** A request on its way through read, decide, write and tell. */
export interface Change<Answer> extends ChangeRequest<Answer> {
  context: MemberContext;
  path: EnvironmentPath;
  /** The same for all tries, so that the change is made once. */
  entry: ReturnType<typeof newAuditEntry>;
  ticket: Ticket;
}

/** The environment as a change finds it. */
export interface CurrentSecrets {
  state: EnvironmentState;
  /** The keys that were read: all, if all were asked for. */
  keys(): string[];
  /** The key's head, deleted or not. */
  head(key: string): HeadRecord | undefined;
  /**
   * Whether the key has that value already. Always false where the caller may not read the environment: otherwise a
   * writer could test guesses of a value by whether they change anything.
   */
  hasValue(key: string, value: string): Promise<boolean>;
}

export interface Decision<Answer> {
  puts: readonly { key: string; value: string }[];
  /** Keys that are there. */
  deletions: readonly string[];
  /** Keys that have their value already. */
  unchanged?: readonly string[];
  /** Keys that are left as they are for another reason. */
  skipped?: readonly string[];
  /** How the audit log and the history call the change. */
  action: AuditAction;
  /** The revision that the values come from, for restorations. */
  restored?: number;
  /** The environment that the values come from, for promotions. */
  from?: Source;
  answer(result: ChangeResult): Answer;
}

/** The environment that values are copied from. The change commits only while it is at that revision. */
export interface Source {
  path: EnvironmentPath;
  id: string;
  slug: string;
  revision: number;
  check: Write;
}

/** What the environment holds after the change, or still holds if nothing changed. */
export interface ChangeResult {
  changed: boolean;
  revision: number;
  /** What the change does, in the order in which it was asked for. */
  plan: ChangePlan;
  head(key: string): HeadRecord | undefined;
}
