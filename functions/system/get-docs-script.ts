import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { answerDocument } from '#lib/documentation/public-document.ts';
import { referenceScript } from '#lib/documentation/reference-page.ts';

const script = referenceScript();

/** The script of the reference page. */
export async function handler(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  return answerDocument(script, event);
}
