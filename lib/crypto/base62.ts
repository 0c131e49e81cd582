const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The number in base 62, left-padded with zeros to `width` characters. */
export function base62(number: bigint, width: number): string {
  let digits = '';
  for (let rest = number; rest > 0n; rest /= 62n) digits = alphabet[Number(rest % 62n)] + digits;
  return digits.padStart(width, '0');
}

export function base62ToNumber(digits: string): bigint {
  let number = 0n;
  for (const digit of digits) number = number * 62n + BigInt(alphabet.indexOf(digit));
  return number;
}
