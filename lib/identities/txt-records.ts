import { Resolver } from 'node:dns/promises';
import { settings } from '../core/settings.ts';

const maximumRecords = 100;
/** A name's TXT records can't be longer together; one that matters to us is far shorter. */
const maximumLength = 500;

/** The records of a domain; null if no name server answered, so that nothing is known about them. */
export interface TxtRecords {
  records: string[] | null;
}

/**
 * The TXT records of a domain itself, within six seconds. Those of a name that it is an alias of don't count: a forgotten
 * CNAME may lead to somebody else's zone. Runs in the function that has no rights, because customers choose whose name
 * servers answer.
 */
export async function txtRecords(domain: string): Promise<TxtRecords> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const servers = settings().DNS_SERVERS;
  if (servers.length > 0) resolver.setServers(servers);
  const timer = setTimeout(() => resolver.cancel(), 6000);
  // The final dot keeps a search domain out.
  const name = `${domain}.`;
  try {
    const [aliases, answers] = await Promise.all([
      resolver.resolveCname(name).catch(noneIfAbsent),
      // node follows a CNAME without saying so.
      resolver.resolveTxt(name).catch(noneIfAbsent),
    ]);
    if (aliases.length > 0) return { records: [] };
    // A record longer than 255 bytes comes in pieces (RFC 7208, section 3.3).
    const records = answers.map(pieces => pieces.join(''));
    return { records: records.filter(({ length }) => length <= maximumLength).slice(0, maximumRecords) };
  } catch {
    return { records: null };
  } finally {
    clearTimeout(timer);
  }
}

/** The name, or a record of the type, does not exist: an answer, unlike everything else that can go wrong. */
function noneIfAbsent(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOTFOUND' || error.code === 'ENODATA') return [];
  throw error;
}
