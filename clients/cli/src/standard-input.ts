import { exitCodes, Failure } from './failure.ts';

/** Everything on standard input, as UTF-8. @throws Failure where it is not UTF-8 */
export async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return decode(Buffer.concat(chunks), 'Standard input');
}

/** A value must come back as it was, so what is not UTF-8 is refused and not repaired. */
export function decode(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Failure(exitCodes.other, 'not_utf8', `${name} is not UTF-8. Encode it first, for example as Base64.`);
  }
}
