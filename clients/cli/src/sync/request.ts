import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { Answer, Asked } from './place.ts';
import { requireSecure, unavailable } from './target-failure.ts';

/** Attempts of one request in all, for outages. A pause that the target asks for does not count. */
export const maxAttempts = 6;
/** For one attempt. */
const timeoutMs = 30_000;
/** Far above any list of names, so that a broken server can't fill the memory. */
const maxAnswerBytes = 32 * 1024 * 1024;

interface Waits {
  /** For all pauses that targets ask for. */
  leftMs: number;
  /** Called before a pause of a second or more. */
  onWait: (seconds: number) => void;
}

/** Sends requests, and sends them again after outages and when the target limits requests. */
export function createRequester(
  userAgent: string,
  waits: Waits,
  firstPauseMs = 200,
): (asked: Asked) => Promise<Answer> {
  return async asked => {
    const url = new URL(URL.canParse(asked.url) ? asked.url : 'none:');
    requireSecure(url);
    for (let attempt = 1; ; ) {
      const answer = await send(asked, url, userAgent).catch((error: NodeJS.ErrnoException) => error);
      const pauseMs = answer instanceof Error ? undefined : requestedPauseMs(answer);
      if (pauseMs !== undefined) {
        if (pauseMs > waits.leftMs) throw unavailable(limitedText(url, pauseMs), 'To wait longer: --wait 10m');
        waits.leftMs -= pauseMs;
        if (pauseMs >= 1000) waits.onWait(Math.ceil(pauseMs / 1000));
        await pause(pauseMs);
        continue;
      }
      if (!(answer instanceof Error) && answer.status < 500) return answer;
      if (attempt === maxAttempts) {
        const reason = answer instanceof Error ? (answer.code ?? 'no answer') : String(answer.status);
        throw unavailable(`${url.host} does not work: ${reason}, after ${maxAttempts} attempts.`);
      }
      await pause(firstPauseMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
      attempt += 1;
    }
  };
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

const limitedText = ({ host }: URL, ms: number): string =>
  `${host} limits requests, and wants a pause of ${Math.ceil(ms / 1000)} s, which is more than --wait allows.`;

/**
 * How long the target wants us to wait, if it limits requests: by `Retry-After`, which RFC 9110 defines, or by the time
 * at which GitHub and Vercel allow requests again. GitHub responds 403 to some requests above its limits.
 */
function requestedPauseMs({ status, headers }: Answer): number | undefined {
  const after = String(headers['retry-after'] ?? '');
  const isLimited = status === 429 || (status === 403 && (after !== '' || headers['x-ratelimit-remaining'] === '0'));
  if (!isLimited && !(status === 503 && after !== '')) return undefined;
  if (/^\d+$/.test(after)) return Math.max(Number(after) * 1000, 50);
  const at = after === '' ? Number(headers['x-ratelimit-reset']) * 1000 : Date.parse(after);
  return Number.isFinite(at) ? Math.max(at - Date.now(), 1000) : 1000;
}

function send({ method, headers, body, tls }: Asked, url: URL, userAgent: string): Promise<Answer> {
  // Without TLS, the options are the same but for those of TLS.
  const open = url.protocol === 'https:' ? requestSecure : (requestPlain as typeof requestSecure);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { method, headers: { 'user-agent': userAgent, ...headers, ...length }, ...tls };
    const sent = open(url, options, response => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > maxAnswerBytes) sent.destroy(new Error('too long'));
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: parsed(Buffer.concat(chunks).toString()),
        }),
      );
    });
    sent.setTimeout(timeoutMs, () => sent.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })));
    sent.on('error', reject);
    sent.end(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
