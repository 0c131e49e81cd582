/* Readers that aren't available here, transcribed. Where the program is installed, the tests use it instead. */

/** compose-go 2, dotenv/parser.go: the parts that quoted and unquoted values go through. */
export function readAsCompose(text: string): Map<string, string> {
  const values = new Map<string, string>();
  let rest = text;
  for (;;) {
    rest = rest.replace(/^\s+/u, '');
    if (rest === '') return values;
    if (rest.startsWith('#')) {
      rest = rest.slice(rest.indexOf('\n'));
      continue;
    }
    const key = /^(?:export\s+)?([A-Za-z0-9_.[\]-]+)[ \t]*=[ \t]*/.exec(rest);
    if (key === null) throw new Error('compose-go: unexpected character in a variable name');
    rest = rest.slice(key[0].length);
    const quote = rest[0];
    if (quote !== "'" && quote !== '"') {
      const end = rest.indexOf('\n') === -1 ? rest.length : rest.indexOf('\n');
      const value = rest
        .slice(0, end)
        .replace(/\s#.*$/u, '')
        .replace(/\s+$/u, '');
      if (value.includes('$')) throw new Error('compose-go: would interpolate');
      values.set(key[1] as string, value);
      rest = rest.slice(end);
      continue;
    }
    let at = 1;
    let raw = '';
    for (; rest[at] !== quote; at += 1) {
      if (at >= rest.length) throw new Error('compose-go: unterminated quoted value');
      if (rest[at] === '\\') {
        at += 1;
        raw += rest[at] === quote ? quote : `\\${rest[at]}`;
      } else raw += rest[at];
    }
    rest = rest.slice(at + 1);
    values.set(key[1] as string, quote === '"' ? interpolated(unescaped(raw)) : raw);
  }
}

/** `escapeSeqRegex`: the escapes of it that Go's `strconv.UnquoteChar` supports; `\$` becomes the template's `$$`. */
function unescaped(text: string): string {
  const known: Record<string, string> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', $: '$$' };
  return text.replace(/\\([abcfnrtv$"\\]|0\d{0,3})/g, (whole, c: string) => {
    if (c.startsWith('0') || c === 'c') throw new Error(`compose-go: ${whole}`);
    return known[c] ?? c;
  });
}

function interpolated(text: string): string {
  return text.replace(/\$(\$|[A-Za-z_{]\w*)?/g, (whole, next: string | undefined) => {
    if (next === '$') return '$';
    if (next === undefined) return whole;
    throw new Error('compose-go: would interpolate');
  });
}

/** about_Quoting_Rules: in single quotes only two of them mean one; the Base64 of .NET. */
export function readAsPowershell(text: string): Map<string, string> {
  const values = new Map<string, string>();
  const statement =
    /\$\{env:([^}]+)\} = (?:'((?:[^']|'')*)'|\[Text\.Encoding\]::UTF8\.GetString\(\[Convert\]::FromBase64String\('([A-Za-z0-9+/=]*)'\)\))\n/y;
  while (statement.lastIndex < text.length) {
    const match = statement.exec(text);
    if (match === null) throw new Error('powershell: not a statement');
    const [, key = '', plain, base64] = match;
    if (plain !== undefined && /[\u2018-\u201b]/.test(plain)) throw new Error('powershell: takes it for a quote');
    values.set(key, plain === undefined ? Buffer.from(base64 ?? '', 'base64').toString() : plain.replaceAll("''", "'"));
  }
  return values;
}
