import { type Format, isName, lines, notAName, nul, type Refusal } from './format.ts';

/**
 * Variables that dash, bash or zsh set themselves, keep read-only, store as a number or a list, or do not export. A
 * child process would not see the assigned value. A test checks this against the shells.
 */
export const shellVariables: ReadonlySet<string> = new Set(
  `_ ARGC BASHOPTS BASHPID BASH_ALIASES BASH_ARGC BASH_ARGV BASH_CMDS BASH_COMMAND BASH_LINENO BASH_SOURCE BASH_SUBSHELL
  BASH_VERSINFO COLUMNS DIRSTACK EGID EPOCHREALTIME EPOCHSECONDS ERRNO EUID FUNCNAME FUNCNEST GID GROUPS HISTCHARS HISTCMD
  HISTSIZE KEYBOARD_HACK KEYTIMEOUT LINENO LINES LISTMAX MAILCHECK OPTIND PPID RANDOM SAVEHIST SECONDS SHELLOPTS SHLVL
  SRANDOM TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT TTYIDLE UID USERNAME WATCH ZSH_EVAL_CONTEXT ZSH_SUBSHELL aliases argv builtins
  cdpath commands dirstack dis_aliases dis_builtins dis_functions dis_functions_source dis_galiases dis_patchars
  dis_reswords dis_saliases fignore fpath funcfiletrace funcsourcetrace funcstack functions functions_source functrace
  galiases histchars history historywords jobdirs jobstates jobtexts keymaps mailpath manpath module_path modules nameddirs
  options parameters patchars path pipestatus psvar reswords saliases signals status termcap terminfo userdirs usergroups
  watch widgets zsh_eval_context zsh_scheduled_events`.split(/\s+/),
);

export const setByShell = 'is a variable that shells set themselves';

/** A script for dash, bash, zsh, busybox and similar shells, loaded with `.` or `eval`. */
export const sh: Format = {
  refuses: (key, value) => {
    if (!isName(key)) return notAName;
    if (shellVariables.has(key)) return setByShell;
    return value.includes('\0') ? nul : undefined;
  },
  write: lines((key, value) => `export ${key}='${value.replaceAll("'", "'\\''")}'`),
};

/** A test checks this list against fish. */
const fishVariables: ReadonlySet<string> = new Set(
  `_ CDPATH FISH_VERSION PATH PWD SHLVL fish_kill_signal fish_killring fish_pid history hostname pipestatus status
  status_generation umask version`.split(/\s+/),
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

/**
 * PowerShell 5.1 to 7. Without a byte order mark, 5.1 reads a script in the machine's code page, so anything but plain
 * ASCII is written as Base64.
 */
export const powershell: Format = {
  ignoresCase: true,
  refuses: (_, value) => {
    if (value.includes('\0')) return nul;
    // about_Environment_Variables: before 7.5, setting a variable to an empty string removes it.
    if (value === '') return 'is empty, and PowerShell before 7.5 removes such a variable';
    return undefined;
  },
  refusesTogether: entries => {
    const first = new Map<string, string>();
    return entries.flatMap(([key]): Refusal[] => {
      const other = first.get(key.toLowerCase());
      first.set(key.toLowerCase(), key);
      // Variable names are case-insensitive on Windows.
      return other === undefined ? [] : [{ key, reason: `differs from ${other} only in case` }];
    });
  },
  write: lines((key, value) => `\${env:${key}} = ${expressionOf(value)}`),
};

function expressionOf(value: string): string {
  if (/^[ -~]*$/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  return `[Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('${Buffer.from(value).toString('base64')}'))`;
}
