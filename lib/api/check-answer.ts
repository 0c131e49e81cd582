import type { Contract } from '../contracts/contract.ts';
import type { Success } from '../contracts/fields/bodies.ts';
import type { Answer } from './respond.ts';

/**
 * The response as declared by its contract: undeclared members never leave the service, and an undeclared status is a
 * bug. An omitted status is the only declared one; a handler that returned nothing has succeeded.
 * @param renewed the session's cookie if it must be sent again; the handler's own cookies take precedence
 */
export function checkAnswer(
  { operationId, responses }: Contract,
  answered: (Omit<Answer, 'status'> & { status?: number | undefined }) | undefined,
  renewed: string | undefined,
): Answer {
  const { body, headers = {}, contentType, ...rest } = answered ?? { body: { success: true } satisfies Success };
  const { cookies = renewed === undefined ? [] : [renewed], status = Number(Object.keys(responses)[0]) } = rest;
  const declared = responses[status as keyof typeof responses];
  if (declared === undefined) throw new Error(`${operationId} returned the undeclared status ${status}.`);
  if (contentType !== undefined) {
    if (typeof body === 'string' && declared.texts?.some(type => type === contentType)) {
      return { status, body, contentType, headers, cookies };
    }
    throw new Error(`${operationId} returned the undeclared content type ${contentType}.`);
  }
  if (declared.body === null) return { status, body: null, headers, cookies };
  const parsed = declared.body.safeParse(body);
  if (!parsed.success) {
    const where = parsed.error.issues.map(issue => `${issue.path.join('.')} (${issue.code})`).join(', ');
    throw new Error(`The response of ${operationId} does not match its schema: ${where}.`);
  }
  return { status, body: parsed.data, headers, cookies };
}
