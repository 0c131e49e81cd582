import { Resolver } from 'node:dns/promises';
import { settings } from '../core/settings.ts';

const maximumRecords = 100;
/** A name's TXT records can't be longer together; one that matters to us is far shorter. */
const maximumLength = 500;

/**
 * The TXT records of a domain; none if it has none or no name server answers within six seconds. Runs in the function
 * that has no rights, because customers choose whose name servers answer.
 */
export async function txtRecords(domain: string): Promise<{ records: string[] }> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const servers = settings().DNS_SERVERS;
  if (servers.length > 0) resolver.setServers(servers);
  const timer = setTimeout(() => resolver.cancel(), 6000);
  try {
    // A record longer than 255 bytes comes in pieces (RFC 7208, section 3.3). The final dot keeps a search domain out.
    const records = (await resolver.resolveTxt(`${domain}.`)).map(pieces => pieces.join(''));
    return { records: records.filter(({ length }) => length <= maximumLength).slice(0, maximumRecords) };
  } catch {
    return { records: [] };
  } finally {
    clearTimeout(timer);
  }
}
