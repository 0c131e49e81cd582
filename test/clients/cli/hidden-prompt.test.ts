import { describe, expect, it } from 'vitest';
import { type HiddenInput, takeChunk, typedText } from '#clients/cli/src/hidden-prompt.ts';

const key = '-----BEGIN KEY-----\nabc\n-----END KEY-----\n';
const asSent = (text: string) => Buffer.from(text.replaceAll('\n', '\r')).toString('latin1');

/** What a prompt takes from chunks, each of which comes at once or, after `undefined`, after a pause. */
function taken(...chunks: (string | undefined)[]): [state: string, text: string] {
  const input: HiddenInput = { text: '', isInPaste: false, marksPastes: false, partOfMark: '' };
  let state = 'continues';
  let isQuiet = true;
  for (const chunk of chunks) {
    if (chunk !== undefined) state = takeChunk(input, chunk, isQuiet);
    isQuiet = chunk === undefined;
  }
  return [state, Buffer.from(typedText(input.text), 'latin1').toString()];
}

const mark = (text: string) => `\u001b[200~${text}\u001b[201~`;
const pause = undefined;

describe('a hidden prompt', () => {
  it.each([
    ['typed keys', ['a', pause, 'b', pause, '\r'], 'ab'],
    ['a quick Enter', ['a', 'b', '\r'], 'ab'],
    ['one pasted line with its line break', ['token\r'], 'token'],
    ['a paste without marks', [asSent(key)], key],
    ['a paste without marks in parts', [asSent(key).slice(0, 25), asSent(key).slice(25, -1), '\r'], key],
    ['a paste without marks and without a final line break', [asSent('a\nb'), pause, '\r'], 'a\nb'],
    ['a marked paste', [mark(asSent(key)), '\r'], key],
    ['a marked paste with Enter in the same chunk', [`${mark(asSent(key))}\r`], key],
    ['a marked paste in single bytes', [...mark(asSent(key)), pause, '\r'], key],
    ['one marked line with its line break', [mark('token\r'), pause, '\r'], 'token'],
    ['CRLF', [mark('a\r\nb\r\n'), '\r'], 'a\r\nb\r\n'],
    ['CRLF without marks', ['a\r\nb\r\n'], 'a\r\nb\r\n'],
    ['control characters in a marked paste', [mark('a\u0003\u0015\u001b[Ab'), '\r'], 'a\u0003\u0015\u001b[Ab'],
    ['deleted characters', ['aé', pause, '\u007f', pause, 'b', pause, '\r'].map(text => text && asSent(text)), 'ab'],
    ['a deleted line', ['abc', pause, '\u0015', pause, 'd', pause, '\r'], 'd'],
    ['arrows and Escape', ['a', pause, '\u001b[C', pause, '\u001b', pause, 'b', pause, '\u001bOA', pause, '\r'], 'ab'],
    ['an arrow in parts', ['a', pause, '\u001b', '[C', pause, 'b', pause, '\r'], 'ab'],
    ['the end of the input after text', ['abc', pause, '\u0004'], 'abc'],
    ['other alphabets', [asSent('пароль 🔑'), pause, '\r'], 'пароль 🔑'],
  ])('takes %s', (_, chunks, text) => {
    const [state, value] = taken(...chunks);
    expect([['entered', 'ends'].includes(state), value]).toEqual([true, text]);
  });

  it.each([
    ['interrupted', ['abc', pause, '\u0003']],
    ['interrupted', ['\u001b[200~abc', pause, '\u0003']],
    ['cancelled', ['\u0004']],
    ['garbled', ['a\u001b[31mb\r']],
    ['garbled', ['ab\u0004cd\r']],
  ])('is %s', (state, chunks) => {
    expect(taken(...chunks)[0]).toBe(state);
  });
});
