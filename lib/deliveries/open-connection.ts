import { isIP, type Socket, connect as tcpConnect } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import type { buildConnector } from 'undici';
import { SendingFailed } from './sending-failed.ts';
import { addressProblem, type TargetRules } from './target.ts';

/**
 * How undici opens its one connection: only to addresses that were already checked. The name is not resolved again, so
 * a DNS answer that changes between check and use has no effect. The peer's address is checked a second time before any
 * byte of the request is sent.
 */
export function connectorTo(
  addresses: readonly string[],
  rules: TargetRules,
  signal: AbortSignal,
  trustedCertificates?: string,
): buildConnector.connector {
  return ({ hostname, protocol, port }, callback) => {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const secure = protocol === 'https:';
    const options = {
      host,
      port: Number(port) || (secure ? 443 : 80),
      autoSelectFamily: true,
      lookup: (
        _name: string,
        { all }: { all?: boolean | undefined },
        answer: (...found: [null, { address: string; family: number }[]] | [null, string, number]) => void,
      ) => {
        const found = addresses.map(address => ({ address, family: isIP(address) }));
        const [first = { address: '', family: 0 }] = found;
        if (all === true) answer(null, found);
        else answer(null, first.address, first.family);
      },
    };
    const socket: Socket = secure
      ? tlsConnect({
          ...options,
          // RFC 6066: the server name in the ClientHello is never an IP address; the certificate is then checked
          // against `host`.
          ...(isIP(host) === 0 ? { servername: host.replace(/\.$/, '') } : {}),
          ...(trustedCertificates === undefined ? {} : { ca: trustedCertificates }),
          ALPNProtocols: ['http/1.1'],
          minVersion: 'TLSv1.2',
          rejectUnauthorized: true,
        })
      : tcpConnect(options);
    const giveUp = () => socket.destroy(new SendingFailed('timed out'));
    signal.addEventListener('abort', giveUp, { once: true });
    const settle = (error: Error | null) => {
      socket.removeListener('error', settle);
      if (error === null) callback(null, socket);
      else callback(error, null);
    };
    socket.once('error', settle);
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      const problem = addressProblem(socket.remoteAddress ?? 'unknown', rules);
      if (problem === undefined) settle(null);
      else socket.destroy(new SendingFailed(problem));
    });
  };
}
