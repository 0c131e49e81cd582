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

/** How often each is taken. Most steps propose and decide, because what ends a proposal leaves less to search. */
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

/**
 * What could invalidate a decision, most often what takes a right or an approval away. Not `expire`: whether a proposal
 * has expired is judged when its commit is sent, not when it is executed (decision 53).
 */
const frequenciesInBetween: Partial<Record<Action, number>> = {
  approve: 6,
  apply: 2,
  rebase: 5,
  edit: 1,
  bypass: 3,
  rotate: 1,
  'run job': 1,
  demote: 4,
  leave: 4,
  require: 8,
  withdraw: 2,
  reject: 2,
};

function actionFrom(weights: Partial<Record<Action, number>>): fc.Arbitrary<Action> {
  return fc.oneof(
    ...Object.entries(weights).map(([action, weight]) => ({ weight, arbitrary: fc.constant(action as Action) })),
  );
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

const step: fc.Arbitrary<Step> = fc.record({
  ...plain,
  action: actionFrom(frequencies),
  meanwhile: fc.option(fc.record({ ...plain, action: actionFrom(frequenciesInBetween) }), { freq: 1, nil: undefined }),
});

/** With the number of approvals that is required at first. */
export const sequence = (steps: number): fc.Arbitrary<{ approvals: number; steps: Step[] }> =>
  fc.record({
    approvals: fc.constantFrom(1, 2, 2),
    steps: fc.array(step, { minLength: steps, maxLength: steps }),
  });
