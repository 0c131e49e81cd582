import { exitCodes, Failure, usage } from './failure.ts';
import { maxReadBytes, tooLarge } from './read-limited.ts';

/**
 * Everything on standard input.
 * @throws Failure if it is too large, and with --no-input if somebody would have to type it
 */
export async function readBytes({ mayWait }: { mayWait: boolean }): Promise<Buffer> {
  if (!mayWait && process.stdin.isTTY) {
    throw usage(
      'Standard input is a terminal, and --no-input never waits for a person.',
      'Pipe it in, or name a file.',
    );
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    size += (chunk as Buffer).length;
    if (size > maxReadBytes) throw tooLarge('Standard input');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** Everything on standard input, as UTF-8. @throws Failure if it is not UTF-8 */
export async function readStandardInput(terminal: { mayWait: boolean }): Promise<string> {
  return decode(await readBytes(terminal), 'Standard input');
}

/**
 * Values must round-trip exactly, so text that is not UTF-8 is rejected, not repaired. The text keeps its byte order
 * mark.
 * @param isExact also accepts what looks like UTF-16 but is UTF-8 with NUL characters
 */
export function decode(bytes: Uint8Array, name: string, isExact = false): string {
  const looksLikeUtf16 = hasUtf16Mark(bytes) || hasUtf16Zeros(bytes);
  try {
    if (isExact || !looksLikeUtf16) return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not UTF-8.
  }
  const hint = looksLikeUtf16
    ? 'It looks like UTF-16, the default of Windows PowerShell: save it as UTF-8.'
    : 'Save text as UTF-8; encode binary data, for example as Base64.';
  throw new Failure(exitCodes.other, 'not_utf8', `${name} is not UTF-8.`, { hint });
}

const hasUtf16Mark = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);

/** Without a mark, UTF-16 of mostly ASCII text is valid UTF-8 in which every other byte is NUL. */
function hasUtf16Zeros(bytes: Uint8Array): boolean {
  if (!bytes.includes(0)) return false;
  // Zeros beside another byte of the same unit: of big-endian text the first of each, of little-endian text the second.
  const zerosAt = (parity: number) =>
    bytes.reduce(
      (sum, byte, index) => sum + Number(byte === 0 && index % 2 === parity && Boolean(bytes[index ^ 1])),
      0,
    );
  const zeros = Math.max(zerosAt(0), zerosAt(1));
  return zeros > 1 && zeros * 4 > bytes.length;
}

/** Text without the byte order mark of its file. */
export const withoutMark = (text: string): string => text.replace(/^\ufeff/, '');
