const browserNames: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' };
const systemNames: Readonly<Record<string, string>> = { 'Mac OS X': 'macOS' };

/** A `User-Agent` in words, such as “Chrome on Linux”; the start of the header itself if it is not a browser's. Pure. */
export function clientName(userAgent: string): string {
  const browser = /Firefox|Edg|OPR|Chrome|Safari/.exec(userAgent)?.[0];
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(userAgent)?.[0];
  if (browser === undefined || system === undefined) return userAgent.slice(0, 80);
  return `${browserNames[browser] ?? browser} on ${systemNames[system] ?? system}`;
}
