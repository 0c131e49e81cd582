import { type Format, isName, lines, notAName, nul } from './format.ts';
import { setByShell } from './shell-variables.ts';

/** A test checks this list against fish. */
const fishVariables: ReadonlySet<string> = new Set(
  '_ CDPATH FISH_VERSION PATH PWD SHLVL fish_kill_signal fish_killring fish_pid history hostname pipestatus status status_generation umask version'.split(
    ' ',
  ),
);

/** A fish script, loaded with `source`. */
export const fish: Format = {
  refuses: (key, value) => {
    if (!isName(key)) return notAName;
    if (fishVariables.has(key)) return setByShell;
    return value.includes('\0') ? nul : undefined;
  },
  write: lines((key, value) => `set -gx ${key} '${value.replace(/[\\']/g, '\\$&')}'`),
};
