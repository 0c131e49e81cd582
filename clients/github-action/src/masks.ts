/**
 * Everything that the runner must hide for one value: the value, its lines with and without the space around them, and
 * all of these as they look inside a JSON string. The runner compares line by line, so a value of several lines would
 * not be found as a whole.
 */
export function masksOf(value: string): string[] {
  const lines = value.split(/[\r\n]+/);
  const texts = [value, ...lines, ...lines.map(line => line.trim())];
  const inJson = texts.map(text => JSON.stringify(text).slice(1, -1));
  // A mask that is only white space would blank out the whole log.
  return [...new Set([...texts, ...inJson])].filter(text => text.trim() !== '');
}
