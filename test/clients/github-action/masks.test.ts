import { describe, expect, it } from 'vitest';
import { isWorthMasking, masksOf } from '#clients/github-action/src/masks.ts';

describe('a text', () => {
  it.each('xxxxxxxx password 20260131 x7Kq aB3$ p4ssw0 hunter2 a1b2c3'.split(' '))('%s is masked', text => {
    expect(isWorthMasking(text)).toBe(true);
  });

  const harmless = '4 19 { x7K true False Prod debug 8080 65535 512Mi 1h30m eu-1'.split(' ');
  it.each(['', '  }', ...harmless])('%s is not', text => {
    expect(isWorthMasking(text)).toBe(false);
  });
});

it('of several lines is masked line by line, with and without the space around them', () => {
  const value = '{\n  "password": "x",\r\n  "on": 1\n}\n';
  expect(masksOf(value, 'auto')).toEqual([
    '  "password": "x",',
    '"password": "x",',
    '  \\"password\\": \\"x\\",',
    '\\"password\\": \\"x\\",',
  ]);
  expect(masksOf(value, 'all')).toEqual(expect.arrayContaining([value, '{', '}', '"on": 1']));
});
