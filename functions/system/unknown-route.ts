import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { renderError } from '#lib/api/respond.ts';
import { ApiError } from '#lib/core/errors.ts';

/** Gives requests that match no route, including wrong methods, the common error shape. */
export async function handler(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  const error = new ApiError('route_not_found', 'There is no such route: the method or the path is wrong.');
  return renderError(error, event.requestContext.requestId);
}
