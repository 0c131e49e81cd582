export interface Plan {
  created: string[];
  updated: string[];
  unchanged: string[];
  deleted: string[];
  skipped: string[];
}

/** The plan of a dry run. An answer without one may be of a change that was made, and is never shown as a plan. */
export function planOf(answer: unknown): Plan {
  if (typeof answer === 'object' && answer !== null && 'plan' in answer) return answer.plan as Plan;
  throw new Error('The answer to a dry run has no plan.');
}
