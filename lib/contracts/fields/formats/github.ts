import { type Format, lines, nul } from './format.ts';

/** For `>> "$GITHUB_ENV"`. The masks go to stderr, which the runner reads too. */
export const github: Format = {
  refuses: (key, value) => {
    if (value.includes('\0')) return nul;
    if (/^NODE_OPTIONS$/i.test(key)) return 'is rejected by the runner';
    if (/^(?:ACTIONS|GITHUB|RUNNER)_/.test(key)) return 'is a name that the runner sets itself';
    return undefined;
  },
  write: lines((key, value) => {
    const delimiter = `ghadelimiter_${crypto.randomUUID()}`;
    return `${key}<<${delimiter}\n${value}\n${delimiter}`;
  }),
  aside: entries =>
    entries
      .flatMap(([, value]) => value.split(/[\r\n]+/))
      // A mask of white space would blank out the whole log.
      .filter(line => line.trim() !== '')
      .map(line => `::add-mask::${line.replaceAll('%', '%25')}\n`)
      .join(''),
};
