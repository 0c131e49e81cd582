import { guardedRequest, type Sending } from './guarded-request.ts';
import { SendingFailed } from './sending-failed.ts';

/** OIDC documents are a few kilobytes. */
const maximumDocumentBytes = 64 * 1024;

interface Asked {
  /** Sent besides what every request has. */
  headers?: Readonly<Record<string, string>>;
  /** A form to post; without one, the document is only read. */
  form?: URLSearchParams;
}

/**
 * Reads a JSON document of at most 64 KB from a customer-supplied address.
 * @throws SendingFailed, the signal's reason, or an error from Node or undici
 */
export async function fetchJson(
  target: string,
  sending: Sending,
  signal: AbortSignal,
  { headers: more = {}, form }: Asked = {},
): Promise<unknown> {
  const headers = { Accept: 'application/json', 'User-Agent': 'Holdfast/1.0', ...more };
  const formType = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const request =
    form === undefined
      ? ({ method: 'GET', headers, signal } as const)
      : ({ method: 'POST', headers: { ...headers, ...formType }, body: Buffer.from(form.toString()), signal } as const);
  const text = await guardedRequest(target, request, sending, async answer => {
    if (answer.statusCode !== 200) throw new SendingFailed(`answered ${answer.statusCode}`);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of answer.body) {
      bytes += (chunk as Uint8Array).length;
      if (bytes > maximumDocumentBytes) throw new SendingFailed('the document is larger than 64 KB');
      chunks.push(chunk as Uint8Array);
    }
    return Buffer.concat(chunks).toString('utf8');
  });
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the document.
    throw new SendingFailed('the document is not JSON');
  }
}
