import { type Dialect, dialectReaders, dialects } from './dialects.ts';
import type { Reading } from './reading.ts';

/** A line that tools read differently. Tools with the same number agree; 0 is a tool that skips or refuses the line. */
export interface AmbiguousLine {
  line: number;
  key: string;
  readers: Record<Dialect, number>;
}

/** As many as one import may have keys. */
const maxLines = 1000;

const keyPattern = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

/**
 * The lines on which two tools assign different things. Docker doesn't count: it keeps quotes, comments and blanks in
 * every value. The result has no value, and no key that may be a part of one.
 * @param entries the assignments that the caller has read, by their first line
 */
export function ambiguousLines(text: string, entries: readonly { line: number; key: string }[]): AmbiguousLine[] {
  const read = dialects.map(dialect => ({ dialect, lines: byLine(dialectReaders[dialect](text)) }));
  const numbers = new Set(read.flatMap(({ lines }) => [...lines.keys()]));
  const keys = new Map(entries.map(({ line, key }) => [line, key]));
  const comments = commentLines(text);
  const ambiguous: AmbiguousLine[] = [];
  for (const line of [...numbers].toSorted((a, b) => a - b)) {
    const assigned = read.map(({ dialect, lines }) => ({ dialect, ...lines.get(line) }));
    // Any other line is inside a value.
    const key = keys.get(line) ?? (comments.has(line) ? assigned.find(isNamed)?.key : undefined);
    if (key === undefined) continue;
    const groups = groupsOf(assigned);
    const counted = assigned.map(({ dialect }) => (dialect === 'docker' ? 0 : (groups.get(dialect) ?? 0)));
    if (new Set(counted.filter(group => group > 0)).size < 2) continue;
    ambiguous.push({ line, key, readers: Object.fromEntries(groups) as Record<Dialect, number> });
    if (ambiguous.length === maxLines) break;
  }
  return ambiguous;
}

/** Such as "node, docker | python, compose, systemd | not sh": who agrees with whom, and who skips the line. */
export function describeReaders(readers: AmbiguousLine['readers']): string {
  const numbers = [...new Set(dialects.map(dialect => readers[dialect]))].toSorted((a, b) => a - b);
  const groups = numbers.map(number => {
    const tools = dialects.filter(dialect => readers[dialect] === number).join(', ');
    return number === 0 ? `not ${tools}` : tools;
  });
  return (numbers[0] === 0 ? [...groups.slice(1), ...groups.slice(0, 1)] : groups).join(' | ');
}

/** What a tool assigns on each line: usually one key, but a CR or a blank may separate several. */
function byLine(readings: readonly Reading[]) {
  const lines = new Map<number, { key: string; content: string }>();
  for (const reading of readings) {
    if ('problem' in reading) continue;
    const { line, key, value, unset, differs } = reading;
    const content = JSON.stringify([key, value, unset === true, differs === true]);
    const earlier = lines.get(line);
    if (earlier === undefined) lines.set(line, { key, content });
    else earlier.content += content;
  }
  return lines;
}

function groupsOf(assigned: readonly { dialect: Dialect; content?: string }[]): Map<Dialect, number> {
  const contents: string[] = [];
  return new Map(
    assigned.map(({ dialect, content }) => {
      if (content === undefined) return [dialect, 0];
      const at = contents.indexOf(content);
      return [dialect, at === -1 ? contents.push(content) : at + 1];
    }),
  );
}

const isNamed = ({ key }: { key?: string }) => key !== undefined && keyPattern.test(key);

/** A CR may end a comment for one tool and not for another. */
function commentLines(text: string): ReadonlySet<number> {
  const lines = text.split('\n').map((line, index) => (/^[ \t]*#.*\r./.test(line) ? index + 1 : 0));
  return new Set(lines.filter(line => line > 0));
}
