import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { answerDocument } from '#lib/documentation/public-document.ts';
import { referencePage } from '#lib/documentation/reference-page.ts';

const page = referencePage();

/** The reference page for people. */
export async function handler(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  return answerDocument(page, event);
}
