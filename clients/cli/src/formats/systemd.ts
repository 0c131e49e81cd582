import { type Format, isName, lines, noncharacter, notAName, nul } from './format.ts';

/** `EnvironmentFile=` of systemd. */
export const systemd: Format = {
  refuses: (key, value) => {
    if (!isName(key)) return notAName;
    if (value.includes('\0')) return nul;
    // systemd rejects the whole file for one of these.
    if (noncharacter.test(value)) return 'holds a Unicode noncharacter';
    return undefined;
  },
  write: lines((key, value) => `${key}="${value.replace(/[\\"$`]/g, '\\$&')}"`),
};
