import * as z from 'zod';
import {
  lettersAndDigits,
  maxAlphabet,
  maxGeneratedLength,
  minAlphabet,
  minGeneratedLength,
  usualGeneratedLength,
} from './generated.ts';
import { Expand, SecretKey, SecretValue, text } from './text.ts';

/** How the service makes a value. */
export const Generate = z
  .strictObject({
    length: z
      .int()
      .min(minGeneratedLength)
      .max(maxGeneratedLength)
      .default(usualGeneratedLength)
      .describe('How many characters the value has.'),
    alphabet: text(minAlphabet, maxAlphabet)
      .refine(alphabet => new Set(alphabet).size >= minAlphabet, {
        message: `must have at least ${minAlphabet} different characters`,
      })
      .default(lettersAndDigits)
      .describe('The characters to choose from, each as likely as any other. Defaults to letters and digits.'),
  })
  .meta({
    description:
      'Instead of `value`: the service makes a random value and stores it without showing it to anybody. Always a new ' +
      'version.',
    example: { length: 32 },
  });
export type Generate = z.output<typeof Generate>;

const key = SecretKey.meta({ description: 'The secret’s key.', example: 'DATABASE_HOST' });
const Value = SecretValue.meta({
  description: 'Any well-formed Unicode text of 0 to 64 KiB in UTF-8. It is returned byte for byte.',
  example: 'db.internal.example',
});

interface Raw {
  value?: unknown;
  generate?: unknown;
  expand?: unknown;
}

const isObject = (entry: unknown): entry is Raw => typeof entry === 'object' && entry !== null;
/** The rule is checked even if another field is wrong, so that all problems are reported at once. */
const rule = (path: keyof Raw, message: string) => ({
  path: [path],
  message,
  when: ({ value }: { value: unknown }) => isObject(value),
});

/** A key, and its value or how to generate one. @param more fields that it has in addition */
export function newSecret<const More extends z.ZodRawShape>(more: More) {
  return z
    .strictObject({ key, value: Value.optional(), expand: Expand.optional(), generate: Generate.optional(), ...more })
    .refine((entry: Raw) => entry.value !== undefined || entry.generate !== undefined, rule('value', 'is required'))
    .refine(
      (entry: Raw) => entry.value === undefined || entry.generate === undefined,
      rule('generate', 'must not be combined with value'),
    )
    .refine(
      (entry: Raw) => entry.expand === undefined || entry.generate === undefined,
      rule('expand', 'must not be combined with generate'),
    )
    .meta({
      documentedAs: () =>
        z.xor([
          z.strictObject({ key, value: Value, expand: Expand.optional(), ...more }).describe('A given value.'),
          z.strictObject({ key, generate: Generate, ...more }).describe('A value that the service generates.'),
        ]),
    });
}
