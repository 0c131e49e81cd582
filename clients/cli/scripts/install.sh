#!/bin/sh
# Installs the command line of Holdfast @VERSION@, one file for Node 20 or newer:
#   curl -fsS @ORIGIN@/install.sh | sh -s -- [DIRECTORY]
# The directory is ~/.local/bin by default. The file comes from the same address, and its SHA-256 must be the one below.
origin='@ORIGIN@'
path='@PATH@'
sha256='@SHA256@'
version='@VERSION@'

fail() {
  printf 'install.sh: %s\nNothing was installed.\n' "$1" >&2
  exit 1
}

install_holdfast() {
  directory=${1-}
  case $directory in
    '') [ -n "${HOME-}" ] || fail 'HOME is not set: name a directory.'; directory=$HOME/.local/bin ;;
    -*) fail 'Usage: install.sh [DIRECTORY]' ;;
    /*) ;;
    *) directory=$PWD/$directory ;;
  esac
  node=$(node -p 'Number(process.versions.node.split(".")[0]) >= 20 || process.version' 2>/dev/null) || node='no Node'
  [ "$node" = true ] || fail "The command line needs Node 20 or newer, and here is $node.
Without it, $origin/run.sh runs a command with its secrets: it only needs a shell and curl."

  mkdir -p "$directory" || fail "$directory can't be created."
  [ ! -d "$directory/holdfast" ] || fail "$directory/holdfast is a directory."
  file=$(mktemp "$directory/.holdfast.XXXXXX") || fail "$directory can't be written."
  trap 'rm -f "$file"' EXIT
  trap 'exit 1' HUP INT TERM

  if command -v curl >/dev/null; then curl -fsS -o "$file" "$origin$path"; else wget -q -O "$file" "$origin$path"; fi || {
    case $? in # These say that curl, or wget, doesn't trust the certificate.
      60 | 77 | 5) fail "$origin$path can't be downloaded: its certificate is not trusted. If a private authority issues it, set SSL_CERT_FILE to its file." ;;
    esac
    fail "$origin$path can't be downloaded."
  }
  found=$(node -p 'crypto.createHash("sha256").update(fs.readFileSync(process.argv[1])).digest("hex")' "$file") || found=
  [ "$found" = "$sha256" ] || fail "The SHA-256 of $origin$path is not $sha256 but ${found:-unknown}."
  chmod 755 "$file" || fail "$file can't be made executable."
  # Also finds out whether Node takes it for an ES module there, and whether the file system runs programs.
  [ "$("$file" --version 2>&1)" = "$version" ] ||
    fail "Node can't run it in $directory: choose a directory outside of packages with \"type\": \"module\"."
  mv -f "$file" "$directory/holdfast" || fail "$directory/holdfast can't be written."

  printf 'Installed holdfast %s as %s\n' "$version" "$directory/holdfast"
  case :${PATH-}: in
    *:"$directory":*) ;;
    *) printf 'Add its directory to your PATH:\n  export PATH="%s:$PATH"\n' "$directory" ;;
  esac
  remember_origin
  printf 'Sign in:\n  holdfast login --url %s\n' "$origin"
}

# As the user's own address, unless there are settings, or another user runs this in the user's home (sudo).
remember_origin() {
  [ -O "${HOME-}" ] || return 0
  config=${XDG_CONFIG_HOME-}
  case $config in
    /*) ;;
    *) config=$HOME/.config ;;
  esac
  settings=$config/holdfast/settings.json
  [ ! -e "$settings" ] && [ ! -L "$settings" ] || return 0
  (
    umask 077
    mkdir -p "$config/holdfast" && new=$(mktemp "$settings.XXXXXX") || exit
    printf '{\n  "url": "%s"\n}\n' "$origin" >"$new" && mv "$new" "$settings" || rm -f "$new"
  ) 2>/dev/null || return 0
}

# Half of this script does nothing, because only its last line is a command, and only if it is complete.
{ install_holdfast "$@"; exit; }
