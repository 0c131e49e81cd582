import { Resolver } from 'node:dns/promises';
import { isLocalhost } from './target.ts';

/** Resolves all addresses of a name; empty if it does not resolve. Must stop when the signal aborts. */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Queries the name servers once for IPv4 and IPv6 addresses. The system's resolver can't be aborted and reads local
 * files. `localhost` is answered as RFC 6761 requires.
 */
export const resolveName: ResolveName = async (name, signal) => {
  if (isLocalhost(name)) return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const giveUp = () => resolver.cancel();
  signal.addEventListener('abort', giveUp);
  try {
    // A trailing dot denotes the DNS root. Dropping it changes nothing, because the resolver adds no search domain.
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []));
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
};
