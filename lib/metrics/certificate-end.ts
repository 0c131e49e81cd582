import { once } from 'node:events';
import { connect } from 'node:tls';
import { dayMs } from '../core/time.ts';

/**
 * The days until the certificate of an https origin ends, rounded down.
 * @throws Error if the host can't be reached, or its certificate is not trusted
 */
export async function certificateDaysLeft(origin: string): Promise<number> {
  const { hostname: host, port } = new URL(origin);
  const socket = connect({ host, port: Number(port || 443), servername: host });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(10_000) });
    return Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / dayMs);
  } finally {
    socket.destroy();
  }
}
