import type middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { RequestContext } from '../access/request-context.ts';
import { type Contract, isServedInMaintenance } from '../contracts/contract.ts';
import { ApiError, maintenanceMessage } from '../core/errors.ts';
import { openLog } from '../core/logger.ts';
import { cameThroughEdge, headerOf, sourceOf } from '../core/request-source.ts';
import { settings } from '../core/settings.ts';

/** On Lambda's context, where middy passes it to the handler and to `onError`. */
type Opened = Context & { opened: RequestContext };

export type Middleware = middy.MiddlewareObj<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Error, Opened>;

/** Gives the request its id and log, and rejects requests that bypass the edge and changes during maintenance. */
export function openRequest(contract: Contract): Middleware {
  return {
    before: ({ event, context }) => {
      const source = sourceOf(event);
      context.opened = { source, log: openLog({ requestId: source.requestId, operation: contract.operationId }) };
      if (!cameThroughEdge(event) && !mayComeDirectly(contract, event))
        throw new ApiError('route_not_found', 'The API is not served at this address.');
      if (!isServedInMaintenance(contract)) refuseInMaintenance();
    },
  };
}

/**
 * Whether a request may bypass CloudFront: with a token on a route that needs a caller, or to exchange an identity's
 * assertion. Passwords and session cookies are only accepted behind the edge and its firewall.
 */
export function mayComeDirectly(
  { access, servedDirectly }: Pick<Contract, 'access' | 'servedDirectly'>,
  event: APIGatewayProxyEventV2,
): boolean {
  if (!settings().DIRECT_ORIGIN) return false;
  // The header takes precedence over a session's cookie, even if it is malformed.
  const hasToken = headerOf(event, 'authorization') !== undefined;
  return servedDirectly === true || (hasToken && access.kind !== 'public' && access.kind !== 'optional');
}

/** @throws temporarily_unavailable during maintenance */
export function refuseInMaintenance(): void {
  if (!settings().MAINTENANCE) return;
  throw new ApiError('temporarily_unavailable', maintenanceMessage, { retryAfterSeconds: 60, isExpected: true });
}
