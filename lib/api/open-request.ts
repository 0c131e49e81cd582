import type middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { RequestContext } from '../access/request-context.ts';
import { type Contract, isServedInMaintenance } from '../contracts/contract.ts';
import { ApiError, maintenanceMessage } from '../core/errors.ts';
import { openLog } from '../core/logger.ts';
import { cameThroughEdge, sourceOf } from '../core/request-source.ts';
import { settings } from '../core/settings.ts';

/** The step's result, on Lambda's context, where middy hands it to the handler and to `onError`. */
export interface OpenedContext extends Context {
  opened: RequestContext;
}

export type Middleware = middy.MiddlewareObj<
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Error,
  OpenedContext
>;

/** Gives the request its id and log, and rejects requests that bypass the edge and changes during maintenance. */
export function openRequest(contract: Contract): Middleware {
  return {
    before: ({ event, context }) => {
      const source = sourceOf(event);
      context.opened = { source, log: openLog({ requestId: source.requestId, operation: contract.operationId }) };
      // The edge has the firewall and knows the caller's address, so nothing may bypass it.
      if (!cameThroughEdge(event)) throw new ApiError('route_not_found', 'The API is not served at this address.');
      if (settings().MAINTENANCE && !isServedInMaintenance(contract)) throw underMaintenance();
    },
  };
}

/** Clients retry a rejected change; the SDK and the CLI do so automatically. */
function underMaintenance(): ApiError {
  return new ApiError('temporarily_unavailable', maintenanceMessage, { retryAfterSeconds: 60, isExpected: true });
}
