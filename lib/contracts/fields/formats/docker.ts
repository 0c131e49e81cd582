import { type Format, lines, nul } from './format.ts';

/** The longest line that Go's bufio.Scanner reads, which docker uses. */
const longestLineBytes = 65_535;

/** `docker run --env-file`: the raw value up to the end of the line. */
export const docker: Format = {
  refuses: (key, value) => {
    if (value.includes('\0')) return nul;
    if (value.includes('\n')) return 'contains a line break';
    if (value.endsWith('\r')) return 'ends with a carriage return';
    if (Buffer.byteLength(`${key}=${value}`) > longestLineBytes) {
      return `makes a line of more than ${longestLineBytes} bytes`;
    }
    return undefined;
  },
  write: lines((key, value) => `${key}=${value}`),
};
