import { dangerousNames } from './dangerous-names.ts';

/** Variable names are case-insensitive on Windows. */
const isWindows = process.platform === 'win32';

/** @returns why this name is refused unless it is allowed by name; undefined if it is harmless */
export function whyDangerous(name: string, { ignoresCase = isWindows }: { ignoresCase?: boolean } = {}) {
  const lists = compiled.get(ignoresCase) ?? compile(ignoresCase);
  compiled.set(ignoresCase, lists);
  return lists.find(({ matches, except }) => matches(name) && !except(name))?.why;
}

/** What a caller may pass on in spite of its name, and how. */
export interface Allowance {
  allowed: readonly string[];
  /** Ends the sentence "to pass it anyway: …"; undefined if it can't be passed. */
  option?: (name: string) => string;
}

/** The dangerous names among these that are not allowed. */
export function refuseDangerous(
  names: readonly string[],
  { allowed, option }: Allowance,
  rules: { ignoresCase?: boolean } = {},
): { key: string; reason: string }[] {
  const allowedNames = new Set(allowed);
  return names.flatMap(key => {
    const why = allowedNames.has(key) ? undefined : whyDangerous(key, rules);
    if (why === undefined) return [];
    return [{ key, reason: option === undefined ? why : `${why}; to pass it anyway: ${option(key)}` }];
  });
}

/** By whether case is ignored. Filled on first use, because most functions that carry this list need it rarely. */
const compiled = new Map<boolean, ReturnType<typeof compile>>();

function compile(ignoresCase: boolean) {
  return dangerousNames.map(({ why, patterns, except = [], anyCase = false }) => ({
    why,
    matches: matcher(patterns, anyCase || ignoresCase),
    except: matcher(except, anyCase || ignoresCase),
  }));
}

/** Takes time linear in the name's length: an environment can have thousands of keys, each chosen by its writer. */
function matcher(patterns: readonly string[], ignoresCase: boolean): (name: string) => boolean {
  const fold = (name: string) => (ignoresCase ? name.toUpperCase() : name);
  const names = new Set(patterns.filter(pattern => !pattern.includes('*')).map(fold));
  const globs = patterns.filter(pattern => pattern.includes('*')).map(pattern => fold(pattern).split('*'));
  return name => {
    const folded = fold(name);
    return names.has(folded) || globs.some(parts => isMadeOf(folded, parts));
  };
}

/** Whether the name begins with the first part, ends with the last, and has the others between them in this order. */
function isMadeOf(name: string, parts: readonly string[]): boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let end = first.length;
  for (const part of parts.slice(1, -1)) {
    const start = name.indexOf(part, end);
    if (start === -1) return false;
    end = start + part.length;
  }
  return end + last.length <= name.length;
}
