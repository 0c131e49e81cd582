import type { Contract } from '../contracts/contract.ts';
import type { Answer } from './respond.ts';

/** An answer whose body has passed the schema of its contract, with every cookie that it sets. */
export interface CheckedAnswer extends Answer {
  cookies: readonly string[];
}

/**
 * The answer as its schema declares it: an undeclared member never leaves, an undeclared status is a bug.
 * @param renewed the session's cookie, if it is to be sent again; the handler's own cookies win
 */
export function checkAnswer(
  { operationId, responses }: Contract,
  answer: Answer,
  renewed: string | undefined,
): CheckedAnswer {
  const cookies = answer.cookies ?? (renewed === undefined ? [] : [renewed]);
  const declared = responses[answer.status as keyof typeof responses];
  if (declared === undefined) throw new Error(`${operationId} answered the undeclared status ${answer.status}.`);
  if (declared.body === null) return { ...answer, body: null, cookies };
  const parsed = declared.body.safeParse(answer.body);
  if (!parsed.success) {
    const where = parsed.error.issues.map(issue => `${issue.path.join('.')} (${issue.code})`).join(', ');
    throw new Error(`The answer of ${operationId} does not fit its schema: ${where}.`);
  }
  return { ...answer, body: parsed.data, cookies };
}
