import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer {
  /** For `DNS_SERVERS`. */
  address: string;
  /** TXT records by domain. */
  records: Map<string, string[]>;
  stop(): Promise<void>;
}

let shared: Promise<NameServer> | undefined;

/** The one of this process, which is never stopped. */
export function sharedNameServer(): Promise<NameServer> {
  shared ??= startNameServer({ isShared: true });
  return shared;
}

/** A name server on loopback that answers TXT questions (RFC 1035). A domain without records does not exist. */
export async function startNameServer({ isShared = false } = {}): Promise<NameServer> {
  const socket = createSocket('udp4');
  const records = new Map<string, string[]>();
  socket.on('message', (question, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
      labels.push(question.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const found = records.get(labels.join('.').toLowerCase()) ?? [];
    const header = Buffer.alloc(12);
    question.copy(header, 0, 0, 2);
    // A response, with recursion available; 3: there is no such name.
    header.writeUInt16BE(found.length > 0 ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(found.length, 6);
    const answers = found.map(text => {
      const pieces = text.match(/.{1,255}/gs) ?? [''];
      const data = Buffer.concat(pieces.map(piece => Buffer.from([piece.length, ...Buffer.from(piece, 'latin1')])));
      // The name by its place in the question, type TXT, class IN, and a minute to live.
      const start = Buffer.from([0xc0, 0x0c, 0, 16, 0, 1, 0, 0, 0, 60, data.length >> 8, data.length & 255]);
      return Buffer.concat([start, data]);
    });
    socket.send(Buffer.concat([header, question.subarray(12, at + 5), ...answers]), port, address);
  });
  if (isShared) socket.unref();
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    records,
    stop: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}
