import type middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { RequestContext } from '../access/request-context.ts';
import { type Contract, isServedInMaintenance } from '../contracts/contract.ts';
import { ApiError, maintenanceMessage } from '../core/errors.ts';
import { openLog } from '../core/logger.ts';
import { cameThroughEdge, sourceOf } from '../core/request-source.ts';
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
      if (!cameThroughEdge(event)) throw new ApiError('route_not_found', 'The API is not served at this address.');
      if (!isServedInMaintenance(contract)) refuseInMaintenance();
    },
  };
}

/** @throws temporarily_unavailable during maintenance */
export function refuseInMaintenance(): void {
  if (!settings().MAINTENANCE) return;
  throw new ApiError('temporarily_unavailable', maintenanceMessage, { retryAfterSeconds: 60, isExpected: true });
}
