import { describe, expect, it } from 'vitest';
import { edited, pasted } from '#clients/dashboard/src/ui/line-breaks.ts';

const at = (start: number, end = start) => ({ start, end });

describe('a text with its own line breaks', () => {
  it.each([
    ['into an empty field', '', 'a\r\nb\r\n', at(0), 'a\r\nb\r\n', 4],
    ['with LF', '', 'a\nb', at(0), 'a\nb', 3],
    ['with a lone CR', '', 'a\rb', at(0), 'a\nb', 3],
    ['between CRLF lines', 'a\r\nb', 'x\r\n', at(2), 'a\r\nx\r\nb', 4],
    ['over a line break', 'a\r\nb\nc', '-', at(1, 2), 'a-b\nc', 2],
  ])('takes a paste %s', (_, text, clipboard, selection, result, cursor) => {
    expect(pasted(text, clipboard, selection)).toEqual({ text: result, cursor });
  });

  it.each([
    ['a character', 'a\r\nb\r\n', 'a\nbc\n', 'a\r\nbc\r\n'],
    ['a line break', 'a\r\nb', 'a\n\nb', 'a\r\n\nb'],
    ['a deletion', 'a\r\nb\r\nc', 'a\nc', 'a\r\nc'],
    ['everything', 'a\r\nb', '', ''],
    ['nothing', 'a\r\n', 'a\n', 'a\r\n'],
    ['a repeated character', 'aa\r\naa', 'aa\naaa', 'aa\r\naaa'],
  ])('keeps what an edit of %s did not touch', (_, text, shown, result) => {
    expect(edited(text, shown)).toBe(result);
  });
});
