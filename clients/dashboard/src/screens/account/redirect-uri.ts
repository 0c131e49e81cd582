/**
 * The address of a command line that waits on this machine: plain http on a loopback host with a port, without user
 * name, query or fragment. Undefined for any other address, because another site would then receive the code.
 */
export function loopbackRedirect(given: string | null): URL | undefined {
  if (given === null || !/^http:\/\/(?:127\.0\.0\.1|localhost):\d{1,5}(?:\/[A-Za-z0-9/_-]*)?$/.test(given))
    return undefined;
  const url = URL.parse(given);
  if (url === null || url.username !== '' || url.password !== '') return undefined;
  return url.protocol === 'http:' && (url.hostname === '127.0.0.1' || url.hostname === 'localhost') ? url : undefined;
}
