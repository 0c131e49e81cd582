import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { openApiDocument } from '#lib/documentation/openapi-document.ts';
import { answerDocument } from '#lib/documentation/public-document.ts';

/** The machine-readable description of the API. Public. */
export async function handler(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  return answerDocument(openApiDocument, event);
}
