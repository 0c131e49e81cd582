import { exitCodes, Failure } from './failure.ts';
import { maxReadBytes, tooLarge } from './read-limited.ts';

/** Everything on standard input, as UTF-8. @throws Failure if it is not UTF-8 */
export async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    size += (chunk as Buffer).length;
    if (size > maxReadBytes) throw tooLarge('Standard input');
    chunks.push(chunk as Buffer);
  }
  return decode(Buffer.concat(chunks), 'Standard input');
}

/** Values must round-trip exactly, so text that is not UTF-8 is rejected, not repaired. */
export function decode(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    const hint = isUtf16
      ? 'It looks like UTF-16, the default of Windows PowerShell: save it as UTF-8.'
      : 'Save text as UTF-8; encode binary data, for example as Base64.';
    throw new Failure(exitCodes.other, 'not_utf8', `${name} is not UTF-8.`, { hint });
  }
}
