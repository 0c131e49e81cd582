/*
 * A QR code (ISO/IEC 18004) in byte mode at error correction level L, written here because a package could leak the key
 * that it draws. Versions 1 to 15 hold up to 520 bytes, which is more than any `otpauth` address here.
 */

/** Error correction codewords per block and number of blocks at level L, by version. */
const correctionPerBlock = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22];
const blockCounts = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6];

/** The modules of the smallest code that holds the text, by row; true is dark. @throws RangeError if none does */
export function qrModules(text: string): boolean[][] {
  const bytes = new TextEncoder().encode(text);
  const version =
    blockCounts.findIndex((_, index) => dataCodewords(index + 1) >= neededCodewords(bytes, index + 1)) + 1;
  if (version === 0) throw new RangeError('The text is too long for a QR code.');
  return draw(version, interleave(dataOf(bytes, version), version));
}

const lengthBits = (version: number) => (version < 10 ? 8 : 16);
const neededCodewords = (bytes: Uint8Array, version: number) => Math.ceil((4 + lengthBits(version)) / 8 + bytes.length);
const at = (list: readonly number[], version: number) => list[version - 1] as number;
const alignments = (version: number) => (version === 1 ? 0 : Math.floor(version / 7) + 2);

function allCodewords(version: number): number {
  const count = alignments(version);
  const modules = (16 * version + 128) * version + 64;
  const taken = (count === 0 ? 0 : (25 * count - 10) * count - 55) + (version >= 7 ? 36 : 0);
  return Math.floor((modules - taken) / 8);
}

const dataCodewords = (version: number) =>
  allCodewords(version) - at(correctionPerBlock, version) * at(blockCounts, version);

/** Mode, length, bytes, terminator and padding. */
function dataOf(bytes: Uint8Array, version: number): number[] {
  const bits = [0, 1, 0, 0];
  const push = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >>> bit) & 1);
  };
  push(bytes.length, lengthBits(version));
  for (const byte of bytes) push(byte, 8);
  const room = dataCodewords(version) * 8;
  push(0, Math.min(4, room - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0xec; bits.length < room; pad ^= 0xec ^ 0x11) push(pad, 8);
  return Array.from({ length: bits.length / 8 }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0),
  );
}

/** Cuts the data into blocks, adds their error correction and interleaves them. */
function interleave(data: readonly number[], version: number): number[] {
  const count = at(blockCounts, version);
  const correction = at(correctionPerBlock, version);
  const short = Math.floor(data.length / count);
  const longFrom = count - (data.length % count);
  const generator = generatorOf(correction);
  let start = 0;
  const blocks = Array.from({ length: count }, (_, index) => {
    const own = data.slice(start, start + short + (index >= longFrom ? 1 : 0));
    start += own.length;
    return { own, correction: remainder(own, generator) };
  });
  const byTurns = (pick: (block: (typeof blocks)[number]) => readonly number[], length: number) =>
    Array.from({ length }, (_, index) => blocks.flatMap(block => pick(block)[index] ?? [])).flat();
  return [...byTurns(({ own }) => own, short + 1), ...byTurns(block => block.correction, correction)];
}

/** A product in GF(2⁸) modulo x⁸ + x⁴ + x³ + x² + 1. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((b >>> bit) & 1) * a;
  }
  return product;
}

/** Reed and Solomon's generator polynomial, without its first coefficient. */
function generatorOf(degree: number): number[] {
  const result: number[] = Array.from({ length: degree }, (_, index) => (index === degree - 1 ? 1 : 0));
  let root = 1;
  for (let step = 0; step < degree; step += 1) {
    for (let index = 0; index < degree; index += 1)
      result[index] = multiply(result[index] as number, root) ^ (result[index + 1] ?? 0);
    root = multiply(root, 2);
  }
  return result;
}

function remainder(data: readonly number[], generator: readonly number[]): number[] {
  const result = generator.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ (result.shift() as number);
    result.push(0);
    for (const [index, coefficient] of generator.entries())
      result[index] = (result[index] as number) ^ multiply(coefficient, factor);
  }
  return result;
}

function draw(version: number, codewords: readonly number[]): boolean[][] {
  const size = version * 4 + 17;
  const modules: (boolean | undefined)[][] = Array.from({ length: size }, () =>
    Array.from({ length: size }, () => undefined),
  );
  const set = (x: number, y: number, dark: boolean) => {
    const row = modules[y];
    if (row !== undefined && x >= 0 && x < size) row[x] = dark;
  };
  const square = (centerX: number, centerY: number, radius: number, isDark: (distance: number) => boolean) => {
    for (let y = -radius; y <= radius; y += 1)
      for (let x = -radius; x <= radius; x += 1)
        set(centerX + x, centerY + y, isDark(Math.max(Math.abs(x), Math.abs(y))));
  };
  for (let index = 0; index < size; index += 1) {
    set(6, index, index % 2 === 0);
    set(index, 6, index % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    square(x, y, 4, distance => distance !== 2 && distance !== 4);
  const centers = alignmentCenters(version, size);
  const isFinder = (x: number, y: number) =>
    (x === 6 || y === 6) && [6, size - 7].includes(x) && [6, size - 7].includes(y);
  for (const x of centers) for (const y of centers) if (!isFinder(x, y)) square(x, y, 2, distance => distance !== 1);
  drawFormat(set, size);
  if (version >= 7) drawVersion(set, version, size);
  drawData(modules, codewords);
  return modules.map(row => row.map(dark => dark === true));
}

function alignmentCenters(version: number, size: number): number[] {
  const count = alignments(version);
  if (count === 0) return [];
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, index) => size - 7 - step * (count - 2 - index))];
}

type SetModule = (x: number, y: number, dark: boolean) => void;

function checked(value: number, bits: number, polynomial: number): number {
  let rest = value;
  for (let step = 0; step < bits; step += 1) rest = (rest << 1) ^ ((rest >>> (bits - 1)) * polynomial);
  return (value << bits) | rest;
}

/** Level L with mask 0, twice, next to the finders. Any mask makes a valid code. */
function drawFormat(set: SetModule, size: number): void {
  const bits = checked(0b01000, 10, 0x537) ^ 0x5412;
  const dark = (index: number) => ((bits >>> index) & 1) === 1;
  for (let index = 0; index < 15; index += 1) {
    const near = index < 6 ? index : index < 8 ? index + 1 : undefined;
    if (near !== undefined) set(8, near, dark(index));
    else set(index === 8 ? 7 : 14 - index, 8, dark(index));
    if (index < 8) set(size - 1 - index, 8, dark(index));
    else set(8, size - 15 + index, dark(index));
  }
  set(8, size - 8, true);
}

function drawVersion(set: SetModule, version: number, size: number): void {
  const bits = checked(version, 12, 0x1f25);
  for (let index = 0; index < 18; index += 1) {
    const far = size - 11 + (index % 3);
    const near = Math.floor(index / 3);
    const dark = ((bits >>> index) & 1) === 1;
    set(far, near, dark);
    set(near, far, dark);
  }
}

/** Up and down through pairs of columns from the right, over what is free, under mask 0. */
function drawData(modules: (boolean | undefined)[][], codewords: readonly number[]): void {
  const size = modules.length;
  let bit = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1)
      for (const x of [right, right - 1]) {
        const upwards = ((right + 1) & 2) === 0;
        const y = upwards ? size - 1 - step : step;
        const row = modules[y] as (boolean | undefined)[];
        if (row[x] !== undefined) continue;
        const value = ((codewords[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1;
        row[x] = (value === 1) !== ((x + y) % 2 === 0);
        bit += 1;
      }
  }
}
