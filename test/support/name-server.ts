import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { promisify } from 'node:util';

type TxtStrings = readonly (readonly string[])[];

/** TXT records of strings up to 255 bytes, an alias with the records there, or how the question goes wrong. */
export type TxtAnswer = TxtStrings | { aliasOf: string; records: TxtStrings } | 'no such name' | 'failure' | 'silence';

const codes = { answered: 0, failure: 2, 'no such name': 3 };
const types = { CNAME: 5, TXT: 16, OPT: 41 };
/** Without EDNS (RFC 6891), a datagram has at most 512 bytes. */
const plainDatagramBytes = 512;
let shared: Promise<NameServer> | undefined;

/** The one of this process, which no test file stops. */
export function sharedNameServer(): Promise<NameServer> {
  shared ??= startNameServer({ isShared: true }).then(server => ({ ...server, stop: () => Promise.resolve() }));
  return shared;
}

/** TXT records (RFC 1035) over UDP and, for large answers, TCP. A name that was not set doesn't exist. */
export async function startNameServer({ isShared = false } = {}) {
  const answers = new Map<string, TxtAnswer>();
  const asked: string[] = [];
  const open = new Set<Socket>();
  const answerTo = (query: Buffer, largest: number) => {
    const question = readQuestion(query);
    asked.push(question.name);
    const answer = answers.get(question.name.toLowerCase()) ?? 'no such name';
    if (answer === 'silence') return undefined;
    const whole = encodeAnswer(query, question, answer, false);
    return whole.length <= largest ? whole : encodeAnswer(query, question, [], true);
  };

  const tcp = createServer(socket => {
    open.add(socket);
    let received = Buffer.alloc(0);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
    socket.on('data', chunk => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        const answer = answerTo(received.subarray(2, end), 65_535);
        received = received.subarray(end);
        if (answer !== undefined) socket.write(Buffer.concat([uint16(answer.length), answer]));
      }
    });
  });
  await once(tcp.listen(0, '127.0.0.1'), 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4');
  udp.on('message', (query, { port: from, address }) => {
    const answer = answerTo(query, datagramBytesOf(query));
    if (answer !== undefined) udp.send(answer, from, address);
  });
  await once(udp.bind(port, '127.0.0.1'), 'listening');
  if (isShared) {
    udp.unref();
    tcp.unref();
  }

  return {
    /** `host:port`, as the setting `DNS_SERVERS` takes it. */
    address: `127.0.0.1:${port}`,
    set: (domain: string, answer: TxtAnswer) => void answers.set(domain.toLowerCase(), answer),
    /** The names that were asked for, oldest first. */
    asked,
    stop: async (): Promise<void> => {
      for (const socket of open) socket.destroy();
      await Promise.all([promisify(udp.close).call(udp), promisify(tcp.close).call(tcp)]);
    },
  };
}

export type NameServer = Awaited<ReturnType<typeof startNameServer>>;

interface Question {
  name: string;
  type: number;
  /** Where the question ends in the query. */
  end: number;
}

function readQuestion(query: Buffer): Question {
  const labels: string[] = [];
  let at = 12;
  while (query[at] !== 0) {
    const length = query[at] as number;
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** What the query's OPT record allows; its class is the size (RFC 6891, 6.1.2). */
function datagramBytesOf(query: Buffer): number {
  const { end } = readQuestion(query);
  const hasOption = query.readUInt16BE(10) > 0 && query.length >= end + 5 && query.readUInt16BE(end + 1) === types.OPT;
  return hasOption ? Math.max(plainDatagramBytes, query.readUInt16BE(end + 3)) : plainDatagramBytes;
}

function encodeAnswer(
  query: Buffer,
  question: Question,
  answer: Exclude<TxtAnswer, 'silence'>,
  isTruncated: boolean,
): Buffer {
  const code = typeof answer === 'string' ? codes[answer] : codes.answered;
  const { aliasOf, texts } = partsOf(answer);
  const alias = aliasOf === undefined ? [] : [encodeAlias(aliasOf)];
  const records = [...alias, ...(question.type === types.TXT ? texts.map(encodeTxt) : [])];
  const flags = 0x8580 | (isTruncated ? 0x0200 : 0) | code;
  const header = Buffer.concat([query.subarray(0, 2), uint16(flags, 1, records.length, 0, 0)]);
  return Buffer.concat([header, query.subarray(12, question.end), ...records]);
}

function partsOf(answer: Exclude<TxtAnswer, 'silence'>): { aliasOf?: string; texts: TxtStrings } {
  if (typeof answer === 'string') return { texts: [] };
  return 'aliasOf' in answer ? { aliasOf: answer.aliasOf, texts: answer.records } : { texts: answer };
}

function encodeAlias(target: string): Buffer {
  const labels = target.split('.').map(label => Buffer.concat([Buffer.of(label.length), Buffer.from(label)]));
  const data = Buffer.concat([...labels, Buffer.of(0)]);
  return Buffer.concat([uint16(0xc00c, types.CNAME, 1, 0, 60, data.length), data]);
}

/** A record whose name is a pointer to the question's. */
function encodeTxt(strings: readonly string[]): Buffer {
  const data = Buffer.concat(
    strings.map(text => {
      const bytes = Buffer.from(text);
      return Buffer.concat([Buffer.of(bytes.length), bytes]);
    }),
  );
  return Buffer.concat([uint16(0xc00c, types.TXT, 1, 0, 60, data.length), data]);
}

function uint16(...values: number[]): Buffer {
  const buffer = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) buffer.writeUInt16BE(value, 2 * index);
  return buffer;
}
