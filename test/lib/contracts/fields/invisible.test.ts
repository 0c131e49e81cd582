import { expect, it } from 'vitest';
import { invisibleIn } from '#lib/contracts/fields/invisible.ts';

it.each([
  [' a', ['begins with white space']],
  ['a\t', ['ends with white space']],
  ['\na\r\n', ['begins with a line break', 'ends with a line break']],
  ['a\u00a0b', ['contains a no-break space']],
  ['a\u200bb', ['contains an invisible character of no width']],
  ['a\u202eb', ['contains a character that changes the direction of text']],
  ['a\0b', ['contains a NUL character, so it can never be an environment variable']],
  ['a\u0007b', ['contains a control character']],
  ['a\u009bb', ['contains a control character']],
  ['a\rb', ['contains a control character']],
  ['“a”', ['contains typographic quotes']],
  ['"a"', ['begins and ends with the same quote']],
  ["'a\nb'", ['begins and ends with the same quote']],
  ['', []],
  ['"', []],
  ['"a\'', []],
  ['a "b"\tß 🔑\r\nc', []],
])('invisibleIn notes of %j: %j', (value, notes) => {
  expect(invisibleIn(value)).toEqual(notes);
});
