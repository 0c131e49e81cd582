import fc from 'fast-check';
import type { FaultKind } from '#test/support/inject-faults.ts';

/* What a random sequence consists of. */

const kinds: FaultKind[] = [
  'blip',
  'answer-lost-once',
  'answer-lost',
  'conflict',
  'overtaken',
  'dies-before',
  'dies-after',
];

/** Of the nth write of a request or of a job's step: to the table or to a queue. */
export interface WriteFault {
  kind: FaultKind;
  nth: number;
}

const fault: fc.Arbitrary<WriteFault | undefined> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom(...kinds), nth: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom(...kinds), nth: fc.integer({ min: 1, max: 9 }) }) },
);

/** How often each of them is taken. Most steps propose and decide, because what ends a proposal leaves less to search. */
const frequencies = {
  propose: 6,
  approve: 14,
  apply: 4,
  rebase: 6,
  edit: 2,
  'edit elsewhere': 1,
  bypass: 2,
  rotate: 1,
  'run job': 2,
  demote: 2,
  leave: 2,
  expire: 1,
  require: 2,
  withdraw: 1,
  reject: 1,
} as const;
export type Action = keyof typeof frequencies;

/** In the order above, which a smaller example goes towards. */
function actionAmong(included: (action: Action) => boolean): fc.Arbitrary<Action> {
  const actions = (Object.keys(frequencies) as Action[]).filter(included);
  return fc.oneof(...actions.map(action => ({ weight: frequencies[action], arbitrary: fc.constant(action) })));
}

const contents = ['set', 'set', 'set', 'several', 'delete', 'promote', 'restore', 'many'] as const;

export interface Step {
  action: Action;
  /** Who acts, and about which proposal, counted from the latest. */
  person: number;
  proposal: number;
  content: (typeof contents)[number];
  key: string;
  value: string;
  approvals: number;
  /** Rarely: for a proposal, its purpose; for an approval, what was shown first; for a job, whether it comes again. */
  isOdd: boolean;
  fault: WriteFault | undefined;
  /** What happens when the step has decided and is about to make its first transaction. */
  meanwhile?: Step | undefined;
}

const plain = {
  person: fc.integer({ min: 0, max: 3 }),
  proposal: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 2 })),
  content: fc.constantFrom(...contents),
  key: fc.constantFrom('A', 'B', 'C', 'D'),
  value: fc.constantFrom('1', '2', '3'),
  approvals: fc.integer({ min: 0, max: 2 }),
  isOdd: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  fault,
};

/**
 * What could invalidate a decision. Not `expire`: whether a proposal has expired is judged when its commit is sent, not
 * when it is executed (decision 53).
 */
const inBetween = actionAmong(action => !['expire', 'propose', 'edit elsewhere'].includes(action));

const step: fc.Arbitrary<Step> = fc.record({
  ...plain,
  action: actionAmong(() => true),
  meanwhile: fc.option(fc.record({ ...plain, action: inBetween }), { freq: 1, nil: undefined }),
});

/** With the number of approvals that is required at first. */
export const sequence = (steps: number): fc.Arbitrary<{ approvals: number; steps: Step[] }> =>
  fc.record({
    approvals: fc.constantFrom(1, 2, 2),
    steps: fc.array(step, { minLength: steps, maxLength: steps }),
  });
