import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { authenticate, type Caller, type IssuedCredential, issuedCredentialOf } from '../access/authenticate.ts';
import { authorize } from '../access/authorize.ts';
import { requireFreshSession } from '../access/fresh-session.ts';
import { earnsHeadStart, loseHeadStart } from '../access/head-start.ts';
import { keepCredentialFresh } from '../access/keep-credential-fresh.ts';
import {
  type AccountContext,
  accountContext,
  type FreshnessQuestion,
  type MemberContext,
  memberContext,
  type RequestContext,
} from '../access/request-context.ts';
import type { Access, Contract, HandlerResponse, ParsedRequest } from '../contracts/contract.ts';
import { parameterNames } from '../contracts/path-parameters.ts';
import { ApiError, organizationNotFound } from '../core/errors.ts';
import { type Log, openLog } from '../core/logger.ts';
import { cameThroughEdge, type RequestSource, sourceOf } from '../core/request-source.ts';
import { settings } from '../core/settings.ts';
import { flushShares, takeShare } from '../limits/fair-share.ts';
import { withDeadline, withReauthorization } from '../table/retry.ts';
import { explainNotFound, parseParts, parsePath } from './parse-request.ts';
import { type Answer, render, renderError, toApiError } from './respond.ts';

type ContextOf<A extends Access> = A extends { kind: 'member' }
  ? MemberContext
  : A extends { kind: 'account' | 'admin' }
    ? AccountContext
    : A extends { kind: 'optional' }
      ? RequestContext & FreshnessQuestion & { principal: AccountContext['principal'] | undefined }
      : RequestContext;

/** What a handler is given: the parsed request, its context, and what `fetch` read. */
export type EndpointInput<C extends Contract, Fetched = undefined> = ParsedRequest<C> & {
  context: ContextOf<C['access']>;
  fetched: Fetched;
};

interface Behaviour<C extends Contract, Fetched> {
  /**
   * Reads that need nothing but the request. They begin together with authentication, which saves a wave. `run` gets the
   * result only after the caller was found to be allowed; otherwise it is thrown away.
   */
  fetch?: (request: ParsedRequest<C>) => Promise<Fetched>;
  run: (input: EndpointInput<C, NoInfer<Fetched>>) => Promise<HandlerResponse<NoInfer<C>>>;
}

/** What the middlewares of one request pass to each other and to the handler, kept on Lambda's context. */
interface State {
  source: RequestSource;
  log: Log;
  request?: ParsedRequest<Contract>;
  issued?: IssuedCredential | undefined;
  params?: Readonly<Record<string, string>>;
  caller?: Caller | undefined;
  fetched?: unknown;
  /** The handler asked whether the session must be fresh. */
  askedFreshness?: true;
  /** A session cookie to renew, once the renewal is written. */
  renewal?: Promise<string | undefined>;
}

type ChainContext = Context & { state: State };
type Chain = middy.MiddlewareObj<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Error, ChainContext>;

/**
 * Makes an endpoint's Lambda handler: the only chain there is. Request id and log → refuse credentials that were
 * never issued → parse everything → authenticate (with `fetch` in the same wave) → authorize → count the organization's
 * share → refuse what did not parse → run → parse the answer → render. Every error is rendered in the one error
 * shape, and nothing leaves that its schema does not declare.
 */
export function endpoint<const C extends Contract, Fetched = undefined>(contract: C, behaviour: Behaviour<C, Fetched>) {
  const chain = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Error, ChainContext>({
    timeoutEarlyInMillis: 0,
  })
    .use(requestContext(contract))
    .use(errorRendering(contract))
    .use(guard(contract, behaviour))
    .handler(async (_event: APIGatewayProxyEventV2, { state }: ChainContext) => {
      const { request, fetched } = state;
      if (request === undefined) throw new Error('The chain reached the handler without a parsed request.');
      const input = { ...request, context: contextOf(contract.access, state), fetched };
      const run = () => behaviour.run(input as unknown as EndpointInput<C, Fetched>);
      const answer = (await withReauthorization(() => reauthorizeCaller(contract.access, state), run)) as Answer;
      requireAllQuestionsAsked(contract, state);
      return render(await checkedAnswer(contract, answer, state), state.source.requestId);
    });
  return (...input: Parameters<typeof chain>) => withDeadline(() => chain(...input));
}

function contextOf(access: Access, state: State) {
  const { source, log, caller } = state;
  if (access.kind === 'public') return { source, log };
  const principal = caller?.principal as AccountContext['principal'] | undefined;
  const requireFresh = (isNeeded: boolean) => {
    state.askedFreshness = true;
    if (isNeeded && principal !== undefined) requireFreshSession(principal);
  };
  const request = { source, log, requireFresh };
  if (access.kind === 'optional') return { ...request, principal };
  if (principal === undefined) throw new Error('The chain reached the handler without a caller.');
  if (access.kind !== 'member') return accountContext(request, principal);
  if (caller?.access === undefined) throw new Error('The chain reached the handler without a membership.');
  return memberContext(request, caller.access);
}

/** A change that is refused now is not lost: clients send it again, as SDK and command line do by themselves. */
function underMaintenance(): ApiError {
  return new ApiError(
    'temporarily_unavailable',
    'The service is under maintenance: it can be read, but not changed. Send the request again in a minute.',
    { retryAfterSeconds: 60 },
  );
}

/** Opens the request's log and gives every answer its request id. */
function requestContext(contract: Contract): Chain {
  return {
    before: ({ event, context }) => {
      const source = sourceOf(event);
      const log = openLog({ requestId: source.requestId, operation: contract.operationId });
      context.state = { source, log };
      // There is no way round the edge, where the firewall is and the caller's address is known.
      if (!cameThroughEdge(event)) throw new ApiError('route_not_found', 'The API is not served at this address.');
      if (settings().MAINTENANCE && contract.method !== 'GET') throw underMaintenance();
    },
  };
}

/** Renders every error in the one error shape. Unexpected ones go to the log with their stack. */
function errorRendering(contract: Contract): Chain {
  return {
    onError: request => {
      const { source, log } = request.context.state;
      const error = explainNotFound(contract, request.event, toApiError(request.error));
      if (error.status >= 500) log.error(`answered ${error.code}`, error.cause ?? error);
      request.response = renderError(error, source.requestId);
    },
  };
}

/** Parse, authenticate, authorize; only then may the handler run. */
function guard<C extends Contract, Fetched>(contract: C, behaviour: Behaviour<C, Fetched>): Chain {
  return {
    before: async ({ event, context }) => {
      const { state } = context;
      const path = parsePath(contract, event);
      // This comes before the body is parsed and before anything that the path names is read.
      const issued = await issuedCredentialOf(event, contract.access, state.log);
      state.issued = issued;
      state.params = path.params;
      // A caller who may not call must not learn what is wrong with the request, so its problems wait for the verdict.
      const parts = attempt(() => parseParts(contract, event));
      const request =
        path.problem === undefined && 'value' in parts
          ? ({ params: path.params, ...parts.value } as ParsedRequest<C>)
          : undefined;
      const fetching = () => (request === undefined ? undefined : behaviour.fetch?.(request));
      const begin = () => withReauthorization(() => reauthorizeCaller(contract.access, state), fetching);
      const flushing = flushShares(state.log);
      const early = earnsHeadStart(issued, path.params) ? begin() : undefined;
      // Without a listener a failed fetch would end the process while authentication is still under way; the `await`
      // below throws its error all the same.
      early?.catch(() => undefined);
      state.caller = await judge(issued, contract.access, path.params).catch((error: unknown) => {
        // An organization named in the wrong form is not found either, and the path's problem says what is wrong.
        throw error instanceof ApiError && error.code === path.problem?.code ? path.problem : error;
      });
      await flushing;
      if (state.caller?.access !== undefined) takeShare(state.caller.access.organization);
      if (path.problem !== undefined) throw path.problem;
      if ('error' in parts) throw parts.error;
      state.renewal = keepCredentialFresh(state.caller?.principal, event, state.log);
      state.request = request as unknown as ParsedRequest<Contract>;
      state.fetched = await (early ?? begin());
    },
  };
}

/**
 * Who calls, if they may. A caller who is refused at an organization has no head start there next time.
 * @throws unauthenticated, csrf_header_required, organization_not_found, insufficient_scope, forbidden, admin_required,
 * second_factor_required, step_up_required
 */
async function judge(
  issued: IssuedCredential | undefined,
  access: Access,
  params: Readonly<Record<string, string>>,
): Promise<Caller | undefined> {
  try {
    const caller = await authenticate(issued, access, params);
    authorize(access, caller);
    return caller;
  } catch (error) {
    // A caller who only has to step up keeps the head start of their other requests.
    const isStranger = error instanceof ApiError && error.code !== 'step_up_required';
    if (issued !== undefined && isStranger) loseHeadStart(issued, params);
    throw error;
  }
}

/**
 * A caller who lost a right while the request waited must not use it. And each further try counts like a request towards
 * the organization's share, which bounds how many of its requests can wait at once.
 * @throws like `judge`; rate_limited
 */
async function reauthorizeCaller(access: Access, { issued, params, caller, log }: State): Promise<void> {
  // `fetch` waited before the first verdict, which comes after that wait.
  if (caller === undefined) return;
  const [now] = await Promise.all([judge(issued, access, params ?? {}), flushShares(log)]);
  if (now?.access === undefined) return;
  if (now.access.member.id !== caller.access?.member.id) throw organizationNotFound();
  caller.access.renew(now.access);
  takeShare(now.access.organization);
}

function attempt<T>(work: () => T): { value: T } | { error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

/** Fails closed: a handler that never asked whether its caller may touch what the path names gives no answer. */
function requireAllQuestionsAsked(contract: Contract, { caller, askedFreshness }: State): void {
  if ('fresh' in contract.access && contract.access.fresh === 'by-content' && askedFreshness !== true) {
    throw new Error(`${contract.operationId} answered without asking whether the session must be fresh.`);
  }
  if (contract.access.kind !== 'member') return;
  const names: readonly string[] = parameterNames(contract.path);
  const asked = {
    project: names.includes('project') || names.includes('slug'),
    environment: names.includes('env') || contract.access.environmentRule !== undefined,
  };
  if (caller?.access?.answered(asked) !== true) {
    throw new Error(
      `${contract.operationId} answered without asking whether its caller may reach what the path names.`,
    );
  }
}

/** The answer as its schema declares it; an undeclared member never leaves, an undeclared status is a bug. */
async function checkedAnswer(contract: Contract, answer: Answer, { renewal }: State): Promise<Answer> {
  const declared = contract.responses[answer.status as keyof Contract['responses']];
  if (declared === undefined)
    throw new Error(`${contract.operationId} answered the undeclared status ${answer.status}.`);
  const renewed = await renewal;
  const cookies = answer.cookies ?? (renewed === undefined ? [] : [renewed]);
  if (declared.body === null) return { ...answer, body: null, cookies };
  const parsed = declared.body.safeParse(answer.body);
  if (!parsed.success) {
    const where = parsed.error.issues.map(issue => `${issue.path.join('.')} (${issue.code})`).join(', ');
    throw new Error(`The answer of ${contract.operationId} does not fit its schema: ${where}.`);
  }
  return { ...answer, body: parsed.data, cookies };
}
