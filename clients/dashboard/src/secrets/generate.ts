const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** What a generated value consists of. The symbols need no quotes in a shell or a .env file. */
export const alphabets = {
  plain: ['Letters and digits', `${letters}0123456789`],
  symbols: ['Letters, digits and symbols', `${letters}0123456789-_.~:@%+=,/`],
  hex: ['Hexadecimal digits', '0123456789abcdef'],
} as const;
export type Alphabet = keyof typeof alphabets;

/** A random text. Every character is equally likely: bytes that would favor some are drawn again. */
export function generate(length: number, alphabet: Alphabet): string {
  const [, characters] = alphabets[alphabet];
  const fair = 256 - (256 % characters.length);
  let text = '';
  while (text.length < length) {
    const drawn = crypto.getRandomValues(new Uint8Array(length - text.length)).filter(byte => byte < fair);
    text += [...drawn].map(byte => characters[byte % characters.length]).join('');
  }
  return text;
}
