import { constants, gzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { headerOf } from '../core/request-source.ts';

/** A shorter response fits in one packet with its headers, so that compressing it saves nothing. */
const leastBytes = 1024;

/**
 * The response as gzip, if the client accepts that and it is shorter. Only the characters are coded, in fewer bits if
 * they are frequent; repeated text is not replaced. Otherwise the length of a response would tell someone who may write
 * secrets, but not read them, whether a guess repeats the start of another secret (the attack BREACH).
 */
export function compressed(text: string, event: APIGatewayProxyEventV2): Buffer | undefined {
  if (text.length < leastBytes || !acceptsGzip(headerOf(event, 'accept-encoding') ?? '')) return undefined;
  const bytes = gzipSync(text, { strategy: constants.Z_HUFFMAN_ONLY });
  return bytes.length < Buffer.byteLength(text) ? bytes : undefined;
}

/** RFC 9110, section 12.5.3. Pure. */
export function acceptsGzip(accepted: string): boolean {
  const weights = new Map(
    accepted.split(',').map(part => {
      const [coding = '', ...parameters] = part.split(';').map(text => text.trim().toLowerCase());
      const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2) ?? '1';
      return [coding, Number(weight)];
    }),
  );
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}
