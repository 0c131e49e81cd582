import { type Format, isName, lines, notAName, nul } from './format.ts';
import { setByShell, shellVariables } from './shell-variables.ts';

/** A script for dash, bash, zsh, busybox and similar shells, loaded with `.` or `eval`. */
export const sh: Format = {
  refuses: (key, value) => {
    if (!isName(key)) return notAName;
    if (shellVariables.has(key)) return setByShell;
    return value.includes('\0') ? nul : undefined;
  },
  write: lines((key, value) => `export ${key}='${value.replaceAll("'", "'\\''")}'`),
};
