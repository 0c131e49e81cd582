const polynomial = 0xedb88320;

/**
 * The CRC32 checksum of zlib (RFC 1952, section 8), computed bit by bit. Importing `node:zlib` would add a millisecond
 * to each cold start, and the inputs here are at most 66 characters.
 */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? polynomial : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
