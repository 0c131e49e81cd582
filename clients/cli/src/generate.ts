import {
  lettersAndDigits,
  maxGeneratedLength as maxLength,
  minAlphabet,
  minGeneratedLength as minLength,
} from '@holdfast/contracts/fields/generated.ts';
import { Option } from './define-command.ts';
import { usage } from './failure.ts';

/** @param what begins the description, which the permitted lengths follow */
export const generateOption = (what: string) =>
  new Option('--generate <length>', `${what} (${minLength} to ${maxLength} characters)`).argParser(generatedLength);

export const alphabetOption = new Option(
  '--alphabet <characters>',
  'the characters to generate from; letters and digits if omitted',
).argParser(alphabetOf);

function generatedLength(text: string): number {
  const length = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (length >= minLength && length <= maxLength) return length;
  throw usage(`A generated value has ${minLength} to ${maxLength} characters.`, 'For example: --generate 32');
}

function alphabetOf(text: string): string[] {
  const characters = [...text];
  const isPlain = text.isWellFormed() && !/[\p{Cc}\p{Cf}\p{M}]/u.test(text);
  // A character given twice would be chosen twice as often.
  if (isPlain && characters.length >= minAlphabet && new Set(characters).size === characters.length) return characters;
  throw usage(
    `An alphabet has at least ${minAlphabet} characters, each of them once and none invisible.`,
    'For example: --alphabet 0123456789abcdef',
  );
}

/** Every character is chosen by itself, each with the same probability. */
export async function generated(length: number, alphabet = [...lettersAndDigits]): Promise<string> {
  const { randomInt } = await import('node:crypto');
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
