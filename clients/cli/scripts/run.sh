#!/bin/sh
# Holdfast @VERSION@: pulls an environment's secrets and replaces itself with a command that gets them as variables.
#   HOLDFAST_URL=https://… HOLDFAST_ORG=… HOLDFAST_PROJECT=… HOLDFAST_ENV=… ./run.sh COMMAND [ARGUMENT …]
# Signs in with HOLDFAST_TOKEN, with HOLDFAST_TOKEN_FILE, or as HOLDFAST_IDENTITY with the platform's token in
# HOLDFAST_ID_TOKEN, in HOLDFAST_ID_TOKEN_FILE or from GitHub Actions. HOLDFAST_LAYERS=project/environment,… lie below that
# environment; the last one with a key wins. Waits at most HOLDFAST_WAIT seconds (120) while the service limits requests.
# Needs curl (or wget), writes no file. Ends with 125 if it fails, 126 if the command can't run, 127 if there is none.

{ set +aeuvx -f; } 2>/dev/null # A trace would show values, and -a would export the token.
unset hf_answer hf_body hf_line hf_text # The caller may have exported variables with these names.
hf_locale=${LC_ALL-} hf_return=$(printf '\r') hf_newline='
'
LC_ALL=C hf_mark=$(printf '\357\273\277') hf_token_characters=A-Za-z0-9._~+/=- # In this locale, characters are bytes.

fail() { printf 'run.sh: %s\n' "$1" >&2; exit 125; }
# Ends unless the setting $1 has a value, $2, of the characters $3 only. Cuts a byte order mark and blanks at both ends.
check() { hf_text=${2#"$hf_mark"}
  while :; do case $hf_text in [[:space:]]*) hf_text=${hf_text#?} ;; *[[:space:]]) hf_text=${hf_text%?} ;; *) break ;; esac; done
  case $hf_text in '' | *[!$3]*) fail "$1 is missing or has characters other than $3" ;; esac; }
read_file() { hf_text=''; { while read -r hf_line || [ -n "$hf_line" ]; do hf_text=$hf_text$hf_line$hf_newline; done <"$1"; } 2>/dev/null; }
# Reads the string after the name $1 in a JSON answer.
read_string() { hf_text=${hf_body#*"\"$1\""} hf_text=${hf_text#*\"} hf_text=${hf_text%%\"*}; }

# Sends a request (URL, token, JSON) and reads the answer. Ends unless its status is $4; $5 says what failed then.
request() {
  hf_pause=1
  while :; do
    if [ "$hf_client" = curl ]; then # It reads its settings from standard input, because everyone can list arguments.
      hf_answer=$({ printf 'url = "%s"\n' "$1"
        [ -z "$2" ] || printf 'header = "Authorization: Bearer %s"\n' "$2"
        [ -z "$3" ] || printf 'header = "Content-Type: application/json"\ndata = "%s"\n' "$3"
      } | curl -q -gisS --connect-timeout 10 -m 60 -A holdfast-run.sh/@VERSION@ -K -; printf '\n%s' "$?")
    else # It writes the headers to standard error, each after two spaces.
      hf_answer=$(wget -q -S -O - $hf_options -U holdfast-run.sh/@VERSION@ ${2:+--header "Authorization: Bearer $2"} \
        ${3:+--header 'Content-Type: application/json' --post-data "$3"} "$1" 2>&1; printf '\n%s' "$?")
    fi
    hf_exit=${hf_answer##*"$hf_newline"} hf_body=${hf_answer%"$hf_newline"*} hf_status='' hf_after=''
    while :; do
      case $hf_client$hf_body in wget'  '*"$hf_newline"* | curl*"$hf_newline"*) ;; *) break ;; esac
      hf_line=${hf_body%%"$hf_newline"*} hf_line=${hf_line%"$hf_return"} hf_body=${hf_body#*"$hf_newline"}
      case $hf_status:${hf_line#  } in
        3*:HTTP/*) break ;; # wget has followed a redirect. The next answer is not the service's.
        *:HTTP/*) hf_status=${hf_line#*HTTP/* } hf_status=${hf_status%% *} hf_revision='' hf_type='' hf_length='' hf_after='' ;;
        *:[Ee][Tt][Aa][Gg]:*) hf_revision=${hf_line#*\"} hf_revision=${hf_revision%\"} ;;
        *:[Rr]etry-[Aa]fter:*) hf_after=${hf_line#*: } ;;
        *:[Cc]ontent-[Tt]ype:*) hf_type=${hf_line#*: } ;;
        *:[Cc]ontent-[Ll]ength:*) hf_length=${hf_line#*: } ;;
        *:[Tt]ransfer-[Ee]ncoding:*) hf_length=chunked ;;
        *:) case $hf_body in HTTP/*) ;; *) break ;; esac ;; # The service's answer follows that of a proxy.
      esac
    done
    case $hf_exit:$hf_status:$hf_client in 0:"$4":*) return ;; 5[189]::* | 60::* | 77::* | 5::wget) break ;;
      *:429:* | *:50[234]:* | [1-9]*::* | [1-9]*:"$4":*) ;; *) break ;; esac
    case $hf_status:$hf_after in 429:) hf_after=4 ;; *:*[!0-9]* | *:??????*) hf_after='' ;; esac
    if [ -n "$hf_after" ]; then
      [ "$hf_wait" -gt "$hf_after" ] || break
      hf_after=$((hf_after + 1 + ${RANDOM:-$$} % (hf_after / 4 + 1))) # Not all at the moment when the limit ends.
      [ "$hf_after" -le "$hf_wait" ] || hf_after=$hf_wait
      printf 'run.sh: %s answered %s, trying again in %s s\n' "${1%%[?]*}" "$hf_status" "$hf_after" >&2
      hf_wait=$((hf_wait - hf_after)); sleep "$hf_after" 2>/dev/null || hf_wait=0
    elif [ "$hf_pause" -lt 8 ]; then sleep "$hf_pause" 2>/dev/null; hf_pause=$((hf_pause * 2)); else break; fi
  done
  # Control characters could take over a terminal. In UTF-8, some of them begin with byte C2.
  case $hf_body in *[[:cntrl:]]* | *"$(printf '\302')"*) hf_body='' ;; esac
  case $hf_client$hf_exit:$hf_status:$hf_type in
    curl5[189]::* | curl60::* | curl77::* | wget5::*) hf_hint=': its certificate is not trusted. For a private authority, set SSL_CERT_FILE to its file' ;;
    *:4*:text/html*) hf_hint=' (a gateway or log-in page, so the token is not the cause)' ;; esac
  case $hf_body in '{"error":{'*) ;; *) hf_body="${hf_status:-no answer}, $hf_client ended with $hf_exit$hf_hint" ;; esac
  fail "$5: $hf_body"
}

# Whether the answer is nothing but lines of export NAME='VALUE', with '\'' for ' in a value.
check_secrets() {
  hf_state=outside IFS=\'
  for hf_text in $hf_newline$hf_body; do case $hf_state:$hf_text in
      inside:*) hf_state=outside ;; outside:\\) hf_state=escaped ;; escaped:) hf_state=inside ;;
      outside:"${hf_newline}export "[A-Za-z_]*=)
        hf_state=inside hf_line=${hf_text#*export } hf_line=${hf_line%=}
        case $hf_line in *[!A-Za-z0-9_]*) return 1 ;; esac ;;
      outside:"$hf_newline") hf_state=end ;; *) return 1 ;;
  esac; done; [ "$hf_state" = end ]
}

[ "${1-}" != -- ] || shift
case ${1-} in '' | -*) fail 'there is no command. Usage: ./run.sh COMMAND [ARGUMENT …]' ;; esac
[ "$(command -v printf)" = printf ] || fail 'this shell has no printf of its own. Use dash, bash or busybox'
check HOLDFAST_URL "${HOLDFAST_URL-}" ']A-Za-z0-9:/._~%+[-'; hf_url=${hf_text%/} hf_url=${hf_url%/v1}/v1
case ${HOLDFAST_INSECURE_HTTP-}:$hf_url in
  *:https://* | 1:http://* | *:http://localhost[:/]* | *:http://127.0.0.1[:/]* | *:'http://[::1]'[:/]*) ;;
  *) fail 'HOLDFAST_URL must be the https address of the service' ;; esac
check HOLDFAST_ORG "${HOLDFAST_ORG-}" a-z0-9-; hf_organization=$hf_text
check HOLDFAST_PROJECT "${HOLDFAST_PROJECT-}" a-z0-9-; hf_project=$hf_text
check HOLDFAST_ENV "${HOLDFAST_ENV-}" a-z0-9-; hf_environment=$hf_text hf_allow='' hf_layers=''
[ -z "${HOLDFAST_LAYERS-}" ] || { check HOLDFAST_LAYERS "$HOLDFAST_LAYERS" a-z0-9/,-; hf_layers=$hf_text; }
[ -z "${HOLDFAST_ALLOW_NAME-}" ] || { check HOLDFAST_ALLOW_NAME "$HOLDFAST_ALLOW_NAME" A-Za-z0-9_.,-; hf_allow="&allow=$hf_text"; }
hf_wait=${HOLDFAST_WAIT:-120} hf_unit=1; case $hf_wait in *m) hf_unit=60 ;; *h) hf_unit=3600 ;; esac
check HOLDFAST_WAIT "${hf_wait%[smh]}" 0-9; hf_wait=$((hf_text * hf_unit))
hf_client=curl hf_q='\"' hf_hint=''
if ! command -v curl >/dev/null; then hf_client=wget hf_q='"' hf_hint=' (curl would show why)'
  printf 'run.sh: curl is not installed. While wget runs, others can read the token in its arguments.\n' >&2
  case $(wget --help 2>&1) in # Some builds of busybox crash if they get a time limit.
    *--max-redirect*) hf_options='-t 1 -T 30 --max-redirect=0' ;; *-T\ *) hf_options='-T 30' ;; *) hf_options='' ;;
  esac
  # This request has no token. busybox says if it can't check certificates, and sends the token wherever it is redirected.
  case $(wget -q -S -O /dev/null $hf_options "${hf_url%/v1}/run.sh" 2>&1) in
    *'validation not implemented'*) fail 'this wget checks no certificates: install curl' ;;
    *'HTTP/1.'[01]' 3'*) fail 'HOLDFAST_URL redirects to another address: use that one' ;;
  esac
fi
hf_source=HOLDFAST_TOKEN hf_text=${HOLDFAST_TOKEN-}
if [ -n "$hf_text" ]; then :; elif [ -n "${HOLDFAST_TOKEN_FILE-}" ]; then hf_source="the file $HOLDFAST_TOKEN_FILE"; read_file "$HOLDFAST_TOKEN_FILE"
else
  check 'HOLDFAST_TOKEN, HOLDFAST_TOKEN_FILE or HOLDFAST_IDENTITY' "${HOLDFAST_IDENTITY-}" A-Za-z0-9-; hf_identity=$hf_text
  hf_source=${HOLDFAST_ID_TOKEN_COMMAND:+command} hf_source=${hf_source:-${HOLDFAST_ID_TOKEN:+variable}}
  hf_source=${hf_source:-${HOLDFAST_ID_TOKEN_FILE:+file}} hf_source=${HOLDFAST_ID_TOKEN_SOURCE:-${hf_source:-github}}
  case $hf_source in
    variable) hf_text=${HOLDFAST_ID_TOKEN-} ;; file) read_file "${HOLDFAST_ID_TOKEN_FILE-}" ;;
    github)
      check ACTIONS_ID_TOKEN_REQUEST_URL "${ACTIONS_ID_TOKEN_REQUEST_URL-}" 'A-Za-z0-9:/._~%+?&=-'
      check ACTIONS_ID_TOKEN_REQUEST_TOKEN "${ACTIONS_ID_TOKEN_REQUEST_TOKEN-}" "$hf_token_characters"
      hf_text="$ACTIONS_ID_TOKEN_REQUEST_URL&audience=holdfast:identity:$hf_identity"
      request "$hf_text" "$ACTIONS_ID_TOKEN_REQUEST_TOKEN" '' 200 'GitHub Actions returned no token (the job needs id-token: write)'; read_string value ;;
    *) fail "it can't use the ID token source $hf_source, only variable, file and github. The command line can" ;; esac
  check "the ID token of the source $hf_source" "$hf_text" "$hf_token_characters"
  hf_text="{${hf_q}identityId$hf_q:$hf_q$hf_identity$hf_q,${hf_q}organizationSlug$hf_q:$hf_q$hf_organization$hf_q,${hf_q}subjectToken$hf_q:$hf_q$hf_text$hf_q}"
  request "$hf_url/auth/exchange" '' "$hf_text" 201 'the identity could not sign in'; read_string token
fi
check "the token of $hf_source" "$hf_text" "$hf_token_characters"
# The command does not get what holds or names a credential.
unset $(IFS=$hf_newline; for hf_line in $(export -p); do
  hf_line=${hf_line%%=*} hf_line=${hf_line##* }
  case $hf_line in (*[!A-Za-z0-9_]*) ;; (@WITHHELD@) printf '%s ' "$hf_line" ;; esac; done)
# The service refuses names such as LD_PRELOAD, like `holdfast run`, unless they are allowed.
request "$hf_url/secrets/$hf_organization/$hf_project/$hf_environment?format=sh${hf_layers:+&layers=$hf_layers}$hf_allow" "$hf_text" '' 200 'the secrets could not be pulled'
# curl notices by itself if chunks are missing.
case $hf_client:$hf_length:$hf_type in curl:chunked:text/plain* | *:"${#hf_body}":text/plain*) ;; *) fail 'the answer is incomplete or not text' ;; esac
hf_text=$hf_revision, # With layers: the revision of each, in their order, and of the environment.
[ -z "$hf_layers" ] || hf_text=$(IFS=,; hf_line=$hf_revision.
  for hf_name in $hf_layers "$hf_project/$hf_environment"; do printf '%s@%s,' "$hf_name" "${hf_line%%.*}"; hf_line=${hf_line#*.}; done
  printf %s "$hf_line")
case $hf_text in *@[!0-9]* | *[!,]) fail 'the answer does not have the revision of each layer' ;; esac
check 'the revision' "${hf_text%,}" "0-9${hf_layers:+a-z/,@-}"; export HOLDFAST_REVISION="$hf_text"
(check_secrets) || fail "the answer of $hf_url is not a list of secrets"
# bash keeps some variables read-only, and would start the command without them.
hf_text=$(set -e; eval "$hf_body" 2>/dev/null; printf set)
[ "$hf_text" = set ] || fail 'the shell does not allow one of these variables to be set'
# As one block, which is read before any value can change how the rest is read. bash quotes a locale that it doesn't know.
eval "{ set +f; unset LC_ALL; [ -z \"\$hf_locale\" ] || export LC_ALL=\"\$hf_locale\"
$hf_body} 2>/dev/null"
exec "$@"
