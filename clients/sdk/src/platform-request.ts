import { reasonOf } from './id-token-failure.ts';
import { nodeModule } from './node-modules.ts';

interface PlatformAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
}

/** A metadata server that is there answers in milliseconds; one that is not never answers. */
const limitMs = 2_000;
/** On Kubernetes, a pod may start before the metadata server accepts its connections. */
const pausesMs = [250, 1_000];
const mostCharacters = 65_536;

/**
 * Asks a metadata server or container agent. These use plain HTTP and their answers are credentials, so the request
 * never passes through a proxy, whatever the environment or the application configures, and follows no redirect.
 * @throws Error with the reason as its message, after three attempts
 */
export async function askPlatform(
  url: string | URL,
  headers: Readonly<Record<string, string>>,
  method: 'GET' | 'PUT' = 'GET',
): Promise<PlatformAnswer> {
  for (let attempt = 0; ; attempt += 1) {
    const pauseMs = pausesMs[attempt];
    try {
      const answer = await askOnce(new URL(url), headers, method);
      if (pauseMs === undefined || (answer.status < 500 && answer.status !== 429)) return answer;
    } catch (error) {
      if (pauseMs === undefined) throw new Error(reasonOf(error));
    }
    await new Promise(resolve => setTimeout(resolve, pauseMs));
  }
}

function askOnce(url: URL, headers: Readonly<Record<string, string>>, method: string): Promise<PlatformAnswer> {
  const { request } = url.protocol === 'https:' ? nodeModule('node:https') : nodeModule('node:http');
  return new Promise((resolve, reject) => {
    // `agent: false` is a new agent for this request, without the proxy that the global one may have.
    const options = { method, headers, agent: false, signal: AbortSignal.timeout(limitMs) } as const;
    const asked = request(url, options, response => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > mostCharacters) asked.destroy(new Error('too long'));
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    asked.on('error', reject);
    asked.end();
  });
}
