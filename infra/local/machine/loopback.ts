import type { Server } from 'node:net';

/** Makes a server listen on this machine only, and returns its port. Port 0 picks a free one. */
export async function listenOnLoopback(server: Server, port = 0, address: '127.0.0.1' | '::1' = '127.0.0.1') {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('The server has no port.');
  return bound.port;
}
