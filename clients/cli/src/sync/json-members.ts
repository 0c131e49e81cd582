/** The members of a JSON object with the text of their values; undefined if it is none, or has one twice. */
export function membersOf(text: string): Map<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  } catch {
    return undefined;
  }
  const members = new Map<string, string>();
  let depth = 0;
  let key: string | undefined;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g)) {
    if (depth === 1 && key === undefined && token.startsWith('"')) {
      key = JSON.parse(token) as string;
      if (members.has(key)) return undefined;
    } else if (depth === 1 && token === ':') start = index + 1;
    else if (depth === 1 && (token === ',' || token === '}') && key !== undefined) {
      members.set(key, text.slice(start, index).trim());
      key = undefined;
    }
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
  }
  return members;
}
