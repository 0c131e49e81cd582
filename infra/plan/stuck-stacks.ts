import { ConfigError } from './config.ts';

/** A resource that CloudFormation could not change. */
export interface FailedResource {
  /** As `--resources-to-skip` expects it: the logical id, for a nested stack after the stack's name and a dot. */
  id: string;
  reason: string;
}

/** A stack as CloudFormation describes it. */
export interface StackState {
  name: string;
  region: string | undefined;
  status: string;
  reason: string | undefined;
  isProtected: boolean;
  /** The stack that a nested one belongs to. */
  root: string | undefined;
  failed: readonly FailedResource[];
}

/** What a state means, and the calls of `aws cloudformation` that leave it. */
interface Remedy {
  meaning: string;
  calls: readonly string[];
}

/** Nothing of the stack exists or serves, so it can be deleted and deployed again. */
const startAgain = (meaning: string): Remedy => ({
  meaning: `${meaning} Delete it; the next deployment creates it`,
  calls: ['delete-stack', 'wait stack-delete-complete'],
});

const remedies: Readonly<Record<string, Remedy>> = {
  REVIEW_IN_PROGRESS: startAgain('Its first change set was never executed, so nothing of it exists.'),
  CREATE_FAILED: startAgain('It could not be created, and was left as it was.'),
  ROLLBACK_COMPLETE: startAgain('It could not be created, and what had been created is gone again.'),
  ROLLBACK_FAILED: startAgain('It could not be created, and not everything that had been created could be deleted.'),
  DELETE_FAILED: startAgain('It could not be deleted completely.'),
  UPDATE_FAILED: {
    meaning: 'An update failed and was not rolled back. Roll it back',
    calls: ['rollback-stack', 'wait stack-rollback-complete'],
  },
  UPDATE_ROLLBACK_FAILED: {
    meaning: 'An update failed, and rolling it back failed too. Remove the cause, then let it continue',
    calls: ['continue-update-rollback', 'wait stack-rollback-complete'],
  },
};

/** The operation that a status names, and what `aws cloudformation wait` can wait for. */
const waits: readonly [RegExp, string][] = [
  // The wait for a rollback knows only those of updates.
  [/^(CREATE|ROLLBACK)_/, 'wait stack-create-complete'],
  [/^DELETE_/, 'wait stack-delete-complete'],
  [/^IMPORT_/, 'wait stack-import-complete'],
  [/ROLLBACK_/, 'wait stack-rollback-complete'],
  [/^UPDATE_/, 'wait stack-update-complete'],
];

/**
 * Refuses to deploy into stacks that CloudFormation would not update, or not safely. Pure.
 * @throws ConfigError with the state of each such stack and the commands that leave it
 */
export function requireSettled(states: readonly StackState[]): void {
  const stuck = states.filter(({ status }) => remedyOf(status) !== undefined);
  if (stuck.length === 0) return;
  // A command for the whole stack also settles those within it.
  const roots = new Set(stuck.filter(({ root }) => root === undefined).map(({ name }) => name));
  const sentences = stuck.map(state => {
    const heading = `The stack ${state.name} is in the state ${state.status}${state.reason ? ` (${state.reason})` : ''}.`;
    if (state.root !== undefined && roots.has(state.root)) {
      return [heading, `It is a part of ${state.root} and leaves this state with it.`, ...failuresOf(state)].join('\n');
    }
    return [heading, ...failuresOf(state), ...commandsFor(state)].join('\n');
  });
  throw new ConfigError(
    [...sentences, 'Nothing was deployed. docs/runbooks/stuck-stack.md says more about each state.'].join('\n\n'),
  );
}

function remedyOf(status: string): Remedy | undefined {
  const remedy = remedies[status];
  if (remedy !== undefined) return remedy;
  if (status.endsWith('_IN_PROGRESS')) {
    const wait = waits.find(([operation]) => operation.test(status))?.[1];
    const meaning = 'Another deployment is running, or CloudFormation is still cleaning up. Wait for its end';
    return { meaning, calls: wait === undefined ? [] : [wait] };
  }
  if (status.endsWith('_FAILED')) {
    return { meaning: 'CloudFormation can’t update it. Its events say why', calls: ['describe-stack-events'] };
  }
  return undefined;
}

function failuresOf({ failed }: StackState): string[] {
  return failed.map(({ id, reason }) => `  ${id}: ${reason}`);
}

function commandsFor({ name, region, status, isProtected }: StackState): string[] {
  const { meaning, calls } = remedyOf(status) ?? { meaning: '', calls: [] };
  const options = `--stack-name ${name}${region === undefined ? '' : ` --region ${region}`}`;
  const unprotect =
    isProtected && calls.includes('delete-stack')
      ? [`update-termination-protection --no-enable-termination-protection`]
      : [];
  return [`${meaning}:`, ...[...unprotect, ...calls].map(call => `  aws cloudformation ${call} ${options}`)];
}
