import { type Format, isName, lines, noncharacter, notAName, nul } from './format.ts';

/** For systemd's `EnvironmentFile=`. */
export const systemd: Format = {
  refuses: (key, value) => {
    if (!isName(key)) return notAName;
    if (value.includes('\0')) return nul;
    // One of these makes systemd reject the whole file.
    if (noncharacter.test(value)) return 'contains a Unicode noncharacter';
    return undefined;
  },
  write: lines((key, value) => `${key}="${value.replace(/[\\"$`]/g, '\\$&')}"`),
};
