const browserNames: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', HeadlessChrome: 'Chrome' };
const systemNames: Readonly<Record<string, string>> = { 'Mac OS X': 'macOS' };
const toolNames: Readonly<Record<string, string>> = {
  'holdfast-cli': 'the command line',
  'holdfast-github-action': 'the GitHub action',
  'holdfast-run.sh': 'run.sh',
  'holdfast-sdk': 'the SDK',
};

/**
 * A `User-Agent` in words, such as “Chrome on Linux” or “the command line 0.1.0”; the start of the header itself if it
 * is neither a browser's nor that of a known tool. Pure.
 */
export function clientName(userAgent: string): string {
  const [, tool = '', version = ''] = /^([\w.-]+)\/([\w.-]+)/.exec(userAgent) ?? [];
  const named = toolNames[tool];
  if (named !== undefined) return `${named} ${version}`;
  if (tool === 'curl' || tool === 'Wget') return `${tool} ${version}`;
  const browser = /Firefox|Edg|OPR|HeadlessChrome|Chrome|Safari/.exec(userAgent)?.[0];
  const system = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(userAgent)?.[0];
  if (browser === undefined || system === undefined) return userAgent.slice(0, 80);
  return `${browserNames[browser] ?? browser} on ${systemNames[system] ?? system}`;
}
