import { Resolver } from 'node:dns/promises';
import { isLocalhost } from './target.ts';

/** Finds all addresses of a name, or none if it does not resolve. Must give up when the signal fires. */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Asks the name servers for IPv4 and IPv6 addresses, once. Not the system's look-up, which cannot be given up and reads
 * files of the machine; `localhost` is answered as RFC 6761 says.
 */
export const resolveName: ResolveName = async (name, signal) => {
  if (isLocalhost(name)) return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const giveUp = () => resolver.cancel();
  signal.addEventListener('abort', giveUp);
  try {
    // A trailing dot is the root of names; without it nothing changes, because the resolver adds no search domain.
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []));
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
};
