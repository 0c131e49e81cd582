/**
 * The address of a command line that waits on this machine, or undefined for everything else: only plain http on a
 * loopback name with a port of its own, without user name, query or fragment. A code handed to any other address would be
 * handed to another site.
 */
export function loopbackRedirect(given: string | null): URL | undefined {
  if (given === null || !/^http:\/\/(?:127\.0\.0\.1|localhost):\d{1,5}(?:\/[A-Za-z0-9/_-]*)?$/.test(given))
    return undefined;
  const url = URL.parse(given);
  if (url === null || url.username !== '' || url.password !== '') return undefined;
  return url.protocol === 'http:' && (url.hostname === '127.0.0.1' || url.hostname === 'localhost') ? url : undefined;
}
