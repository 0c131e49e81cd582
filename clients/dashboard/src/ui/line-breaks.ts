/*
 * A textarea turns CRLF into LF. These functions keep a text with its own line breaks beside what the textarea shows.
 * Pure.
 */

const shownOf = (text: string): string => text.replaceAll('\r\n', '\n');

/** The place in a text of a place in what is shown of it. */
function placeIn(text: string, shown: number): number {
  let at = 0;
  for (let left = shown; left > 0; left -= 1) at += text.startsWith('\r\n', at) ? 2 : 1;
  return at;
}

/** The text after somebody edited what is shown of it. What they did not touch keeps its line breaks. */
export function edited(text: string, shown: string): string {
  const previous = shownOf(text);
  const most = Math.min(previous.length, shown.length);
  let head = 0;
  while (head < most && previous[head] === shown[head]) head += 1;
  let tail = 0;
  while (tail < most - head && previous.at(-1 - tail) === shown.at(-1 - tail)) tail += 1;
  const middle = shown.slice(head, shown.length - tail);
  return text.slice(0, placeIn(text, head)) + middle + text.slice(placeIn(text, previous.length - tail));
}

/** The text after a paste over the selection, and where the cursor is then. A lone CR is a line break. */
export function pasted(
  text: string,
  clipboard: string,
  { start, end }: { start: number; end: number },
): { text: string; cursor: number } {
  const added = clipboard.replace(/\r(?!\n)/g, '\n');
  return {
    text: text.slice(0, placeIn(text, start)) + added + text.slice(placeIn(text, end)),
    cursor: start + shownOf(added).length,
  };
}
