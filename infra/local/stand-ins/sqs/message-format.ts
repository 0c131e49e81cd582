import { createHash } from 'node:crypto';
import * as z from 'zod';
import { AwsError } from '../aws-server.ts';

export const maximumMessageBytes = 1024 * 1024;

const MessageAttribute = z.object({
  DataType: z.string().regex(/^(String|Number|Binary)(\..+)?$/),
  StringValue: z.string().optional(),
  BinaryValue: z.base64().optional(),
});
export type MessageAttribute = z.output<typeof MessageAttribute>;

export const Message = z.object({
  MessageBody: z.string().min(1),
  DelaySeconds: z.int().min(0).max(900).optional(),
  MessageAttributes: z.record(z.string(), MessageAttribute).prefault({}),
});
export type Message = z.output<typeof Message>;

/** The size of a message's body and attributes in bytes, as counted by SQS's limit. */
export function sizeOf(message: Message): number {
  return Object.entries(message.MessageAttributes).reduce(
    (bytes, [name, { DataType, StringValue = '', BinaryValue = '' }]) =>
      bytes + Buffer.byteLength(name + DataType + StringValue) + Buffer.byteLength(BinaryValue, 'base64'),
    Buffer.byteLength(message.MessageBody),
  );
}

export function refuseBadCharacters(body: string): void {
  if (/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(body)) {
    throw new AwsError('InvalidMessageContents', 'Invalid characters found in the message body.');
  }
}

export function md5(content: string | Buffer): string {
  return createHash('md5').update(content).digest('hex');
}

/**
 * The digest that clients verify (SQS developer guide, "Calculating the MD5 message digest for message attributes").
 */
export function attributesMd5(attributes: Record<string, MessageAttribute>): string {
  const parts = Object.entries(attributes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, { DataType, StringValue, BinaryValue }]) => {
      const isBinary = DataType.startsWith('Binary');
      const value = isBinary ? Buffer.from(BinaryValue ?? '', 'base64') : Buffer.from(StringValue ?? '');
      return [
        withLength(Buffer.from(name)),
        withLength(Buffer.from(DataType)),
        Buffer.of(isBinary ? 2 : 1),
        withLength(value),
      ];
    });
  return md5(Buffer.concat(parts));
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
