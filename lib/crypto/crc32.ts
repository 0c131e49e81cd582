const polynomial = 0xedb88320;

/**
 * The checksum of zlib and PNG (RFC 1952, section 8). Of our own, bit by bit: importing `node:zlib` for it would add a
 * millisecond to each cold start, and what is summed up here has 66 characters at the most.
 */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? polynomial : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
