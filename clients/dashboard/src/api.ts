import type { ErrorCode, Problem } from '@holdfast/contracts/error-codes.ts';
import type { DeclaredContract } from '@holdfast/contracts/routes.ts';
import { signal } from '@preact/signals';
import type { z } from 'zod';

type Fields<S> = S extends z.ZodType ? z.input<S> : never;
type AnswerOf<C> = C extends { responses: infer R }
  ? { [Status in keyof R]: R[Status] extends { body: infer S extends z.ZodType } ? z.output<S> : never }[keyof R]
  : never;

/** Every operation by its method and path, with the types of its request and response from the service's contracts. */
type Routes = {
  [C in DeclaredContract as `${C['method']} ${C['path']}`]: {
    query: C extends { query: infer Q } ? { [Name in keyof Fields<Q>]?: string | number | boolean | undefined } : never;
    body: C extends { body: infer B } ? Fields<B> : never;
    answer: AnswerOf<C>;
  };
};
export type RouteName = keyof Routes;
export type Answer<R extends RouteName> = Routes[R]['answer'];

type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type Parameters<R> = [NamesIn<R>] extends [never] ? never : { [Name in NamesIn<R>]: string };
type Part<Name extends string, Value> = [Value] extends [never] ? { [N in Name]?: never } : { [N in Name]: Value };
type Request<R extends RouteName> = Part<'params', Parameters<R>> &
  Partial<Part<'query', Routes[R]['query']>> &
  Part<'body', Routes[R]['body']> & { ifMatch?: number; signal?: AbortSignal };

type FailureCode = ErrorCode | 'unreachable' | 'no_passkey';

/** An error response, with the service's message. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: FailureCode;
  readonly requestId: string | undefined;
  readonly details: unknown;
  readonly retryAfterSeconds: number | undefined;
  constructor(
    status: number,
    code: FailureCode,
    message: string,
    rest: { requestId?: string; details?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = rest.requestId;
    this.details = rest.details;
    this.retryAfterSeconds = rest.retryAfterSeconds;
  }
  /** Problems by field, of an `invalid_request`. */
  get problems(): readonly Problem[] {
    return Array.isArray(this.details) ? (this.details as Problem[]) : [];
  }
}

/** Incremented when a signed-in page gets a response that its session has ended. */
export const sessionEnded = signal(false);

/** `own`: only the account's own password or passkey will do, and not the company's provider. */
export type StepUpKind = 'any' | 'own';
let askAgain: ((kind: StepUpKind) => Promise<boolean>) | undefined;
/** Sets the prompt for a step-up. It resolves to true if the user completed it. */
export const onStepUpRequired = (ask: (kind: StepUpKind) => Promise<boolean>) => {
  askAgain = ask;
};
/** Asks for the account's own password or passkey, which lifts the session's limit to one organization. */
export const liftConfinement = () => askAgain?.('own');

/**
 * Calls an operation of the API. If the session needs a step-up, a dialog asks for it and the call then
 * continues. @throws Refusal for every error response, and if there is no response.
 */
export async function call<R extends RouteName>(
  route: R,
  ...[request]: Record<never, never> extends Request<R> ? [Request<R>?] : [Request<R>]
): Promise<Answer<R>> {
  try {
    return await send(route, request);
  } catch (error) {
    const kind = error instanceof Refusal ? stepUps[error.code] : undefined;
    if (kind === undefined || askAgain === undefined || !(await askAgain(kind))) throw error;
    return await send(route, request);
  }
}

const stepUps: Readonly<Partial<Record<FailureCode, StepUpKind>>> = {
  step_up_required: 'any',
  session_confined: 'own',
};

async function send<R extends RouteName>(route: R, request: Request<R> | undefined): Promise<Answer<R>> {
  const {
    params = {},
    query = {},
    body,
    ifMatch,
    signal: abort,
  } = (request ?? {}) as {
    params?: Record<string, string>;
    query?: Record<string, string | number | boolean | undefined>;
    body?: unknown;
    ifMatch?: number;
    signal?: AbortSignal;
  };
  const [method = '', template = ''] = route.split(' ');
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  const response = await fetch(search === '' ? path : `${path}?${search}`, {
    method,
    headers: {
      ...(method === 'GET' ? {} : { 'x-requested-with': 'service' }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(ifMatch === undefined ? {} : { 'if-match': `"${ifMatch}"` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(abort === undefined ? {} : { signal: abort }),
    cache: 'no-store',
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new Refusal(0, 'unreachable', 'Holdfast cannot be reached. Check the connection and try again.');
  });
  const isText = response.headers.get('content-type')?.startsWith('text/');
  const answer = await (isText ? response.text() : response.json()).catch(() => undefined);
  if (response.ok) return answer as Answer<R>;
  const {
    code = 'internal_error',
    message = 'The service returned an unexpected response.',
    requestId,
    details,
  } = answer?.error ?? {};
  if (code === 'unauthenticated') sessionEnded.value = true;
  const seconds = Number(response.headers.get('retry-after'));
  throw new Refusal(response.status, code, message, {
    requestId,
    details,
    ...(seconds > 0 ? { retryAfterSeconds: seconds } : {}),
  });
}
