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
