#!/bin/sh
':' /*
# For a shell, this file is a script down to the end of the comment; for Node, it is what follows the comment. Before any
# of its code runs, Node resets ignored signals and marks all descriptors from 3 on to be closed. So this shell looks at
# them first. If there are any, Node only prepares the variables for `run`, and this shell executes the command.
unset -v hf_ignored hf_open hf_names hf_plan hf_pid hf_signal hf_code hf_key hf_value
hf_node=${HOLDFAST_SHELL_NODE:-node}
case " $* " in *' run '*) ;; *) exec "$hf_node" "$0" "$@" ;; esac
if [ -e /proc/$$/status ]; then
  while read -r hf_key hf_value; do
    case $hf_key$hf_value in SigIgn:*[!0]*) hf_ignored=$hf_value ;; esac
  done </proc/$$/status
else
  case $(trap) in *"''"*) hf_ignored=0 ;; esac
fi
for hf_key in /dev/fd/*; do
  case ${hf_key#/dev/fd/} in [012]) continue ;; esac
  # The shell reads this file through a descriptor of its own.
  [ ! -e "$hf_key" ] || [ "$hf_key" -ef "$0" ] || hf_open="$hf_open ${hf_key#/dev/fd/}"
done
# Most shells drop variables that they can't name, such as spring.datasource.url. Node gets them in hexadecimal.
hf_names=$(LC_ALL=C grep -azv '^[A-Za-z_][A-Za-z0-9_]*=' /proc/$$/environ 2>/dev/null | od -An -vtx1 | tr -d ' \n')
# The first process of a container also reaps orphans, which Node doesn't.
if [ -z "$hf_names" ] && { [ -n "$hf_ignored$hf_open" ] || [ $$ = 1 ]; }; then
  { hf_plan=$(HOLDFAST_SHELL="plan ${hf_ignored:-0}$hf_open" "$hf_node" "$0" "$@" 9>&1 1>&8 8>&-) || exit; } 8>&1
  case $hf_plan in '') exit ;; stay) ;; *) eval "$hf_plan" ;; esac
fi
HOLDFAST_SHELL="stay ${hf_ignored:-0}$hf_open" HOLDFAST_SHELL_NAMES=$hf_names
export HOLDFAST_SHELL HOLDFAST_SHELL_NAMES
[ $$ = 1 ] || exec "$hf_node" "$0" "$@"
for hf_key in HUP INT QUIT TERM USR1 USR2 CONT WINCH; do
  trap "hf_signal=$hf_key; kill -$hf_key \$hf_pid 2>/dev/null" $hf_key
done
# Without a redirection, standard input of a background process would be /dev/null.
{ "$hf_node" "$0" "$@" <&9 9<&- & } 9<&0
hf_pid=$!
[ -z "$hf_signal" ] || kill -"$hf_signal" "$hf_pid"
while :; do # A signal ends `wait`, but not the process.
  wait "$hf_pid"; hf_code=$?
  kill -0 "$hf_pid" 2>/dev/null && continue
  wait "$hf_pid" 2>/dev/null; hf_value=$?
  [ "$hf_value" = 127 ] || hf_code=$hf_value
  exit "$hf_code"
done
*/
// npm links this file before the bundle is built.
require('../dist/holdfast.cjs');
