import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { issuedCredentialOf } from '../access/authenticate.ts';
import { keepCredentialFresh } from '../access/keep-credential-fresh.ts';
import { sharingAccess } from '../access/kept-access.ts';
import type { RequestContext } from '../access/request-context.ts';
import type { Contract, HandlerResult, ParsedRequest } from '../contracts/contract.ts';
import { shedding } from '../core/capacity.ts';
import { chargeWork } from '../limits/fair-share.ts';
import { measureWork } from '../table/request-work.ts';
import { withDeadline, withReauthorization } from '../table/retry.ts';
import { authorization } from './authorize-caller.ts';
import { checkAnswer } from './check-answer.ts';
import { mayReadEarly } from './early-reads.ts';
import { type HandlerContexts, handlerContext } from './handler-context.ts';
import { type Middleware, openRequest } from './open-request.ts';
import { explainNotFound, parsePath, parseRequest, requireParsed } from './parse-request.ts';
import { type Answer, render, renderError, toApiError } from './respond.ts';

/** What a handler receives: the parsed request, its context, and the result of `fetch`. */
export type EndpointInput<C extends Contract, Fetched = undefined> = ParsedRequest<C> & {
  context: HandlerContexts[C['access']['kind']];
  fetched: Fetched;
};

interface Behaviour<C extends Contract, Fetched> {
  /**
   * Reads that need only the request and the user of its credential, if it has one. They start in parallel with
   * authentication; `run` gets the result once the caller has been authorized.
   */
  fetch?: (request: ParsedRequest<C>, userId: string | undefined) => Promise<Fetched>;
  run: (input: EndpointInput<C, NoInfer<Fetched>>) => HandlerResult<NoInfer<C>>;
}

/** Creates an endpoint's Lambda handler. Each step of the chain takes the results of earlier ones, so none can be left out. */
export function endpoint<const C extends Contract, Fetched = undefined>(contract: C, behaviour: Behaviour<C, Fetched>) {
  const chain = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>({ timeoutEarlyInMillis: 0 })
    .use(openRequest(contract))
    .use(renderErrors(contract))
    .handler(async (event, { opened }) =>
      render(await answer(contract, behaviour, event, opened), opened.source.requestId, event),
    );
  return (...input: Parameters<typeof chain>) =>
    withDeadline(() =>
      shedding(() =>
        measureWork(async () => {
          try {
            return await chain(...input);
          } finally {
            chargeWork();
          }
        }),
      ),
    );
}

async function answer<C extends Contract, Fetched>(
  contract: C,
  { fetch, run }: Behaviour<C, Fetched>,
  event: APIGatewayProxyEventV2,
  { source, log }: RequestContext,
): Promise<Answer> {
  const { access } = contract;
  const kind: C['access']['kind'] = access.kind;

  // Check the credential, before the body is parsed or a tenant's data is read.
  const path = parsePath(contract, event);
  const issued = await issuedCredentialOf(event, access, log);

  // Parse. The problems are reported later, because unauthorized callers must not learn them.
  const parsed = parseRequest(contract, event, path);

  // Authorize, in parallel with the handler's reads.
  const { authorize, reauthorize } = authorization(kind, access, { issued, params: path.params, log, ip: source.ip });
  const read = async (request: ParsedRequest<C>) =>
    withReauthorization(reauthorize, async () => (await fetch?.(request, issued?.userId)) as Fetched);
  const { admitting, early } = sharingAccess(() => ({
    // Begins first, because the reads may use what it reads.
    admitting: authorize(),
    early: 'request' in parsed && mayReadEarly(issued, path.params) ? read(parsed.request) : undefined,
  }));
  // Without a listener, a failed read would end the process during authentication.
  early?.catch(() => undefined);
  const admitted = await admitting;
  const request = requireParsed(parsed);

  // Run.
  const renewal = keepCredentialFresh(admitted.principal, event, log);
  const { context, requireAllAsked } = handlerContext(kind, contract, { source, log }, admitted);
  const fetched = await (early ?? read(request));
  const answered = await withReauthorization(reauthorize, () => run({ ...request, context, fetched }));
  requireAllAsked();

  return checkAnswer(contract, answered as Parameters<typeof checkAnswer>[1], await renewal);
}

/** Unexpected errors are logged with their stack and trigger an alarm; expected rejections are warnings. */
function renderErrors(contract: Contract): Middleware {
  return {
    onError: request => {
      const { source, log } = request.context.opened;
      const error = explainNotFound(contract, request.event, toApiError(request.error));
      if (error.status >= 500) {
        if (error.isExpected) log.warn(`returned ${error.code}`, { reason: error.message });
        else log.error(`returned ${error.code}`, error.cause ?? error);
      }
      request.response = renderError(error, source.requestId);
    },
  };
}
