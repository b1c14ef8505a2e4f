# Sourced by ./stickslip and ./test. Makes sure that the packages of packages.txt are there and that build/release holds
# an up-to-date build of the wanted targets. Quiet: progress goes to standard error and only if that is a terminal; the
# complete output of a failed command is shown.
#
#   prepare <target>…      returns when the targets are built, or exits with 3 and a message

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
build=$root/build/release
log=$root/build/prepare.log
packages_stamp=$root/build/packages.stamp   # checksum of the package list that was last found complete

say() { printf '%s\n' "stickslip: $*" >&2; }
give_up() { say "$@"; exit 3; }

# Packages of the list; "<package> unless <command>" is left out where the command is there already, from wherever.
wanted_packages() {
  local package unless command
  sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$root/packages.txt" | while read -r package unless command; do
    [ "$unless" = unless ] && command -v "$command" >/dev/null || printf '%s\n' "$package"
  done
}

missing_packages() {
  local installed
  # The name without ":amd64"; virtual packages are not used in the list.
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p')
  wanted_packages | grep -vxF -f <(printf '%s\n' "$installed") || true
}

# Becomes root for a command: already root, or sudo that asks no password.
as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo -n "$@"
  else return 77
  fi
}

install_packages() {
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -y -q --no-install-recommends)
  as_root true ||
    give_up "these packages are missing, and installing them needs root. Run: sudo apt-get install -y --no-install-recommends $*"
  say "installing $*"
  # A fresh machine has no package index, an old one a stale index: fetch it only when the first attempt fails.
  as_root "${apt[@]}" install "$@" </dev/null >"$log" 2>&1 && return
  { as_root "${apt[@]}" update && as_root "${apt[@]}" install "$@"; } </dev/null >>"$log" 2>&1 && return
  cat "$log" >&2
  give_up "apt-get could not install: $*"
}

ensure_packages() {
  local checksum missing
  checksum=$(cksum <"$root/packages.txt")
  [ -f "$build/build.ninja" ] && [ "$(cat "$packages_stamp" 2>/dev/null)" = "$checksum" ] && return
  if command -v dpkg-query >/dev/null; then
    missing=$(missing_packages)
    # Word splitting is wanted: one argument per package.
    # shellcheck disable=SC2086
    [ -z "$missing" ] || install_packages $missing
  elif ! command -v cmake >/dev/null || ! command -v ninja >/dev/null; then
    give_up "this is not a Debian system; install the counterparts of these Debian packages and try again:" $(wanted_packages)
  fi
  printf '%s\n' "$checksum" >"$packages_stamp"
}

# Shows the lines of ninja as one line that is overwritten.
show_progress() {
  local line width
  width=$(tput cols 2>/dev/null || echo 80)
  while IFS= read -r line; do
    case $line in
      *'globbed directories'*) ;;
      '['*/*']'*) printf '\r\033[K%s' "${line:0:width-1}" >&2 ;;
    esac
  done
  printf '\r\033[K' >&2
}

run_logged() {
  if [ -t 2 ]; then "$@" </dev/null 2>&1 | tee "$log" | show_progress
  else "$@" </dev/null >"$log" 2>&1
  fi
}

configure() {
  # A build tree that was copied here from another place cannot be reused.
  if [ -f "$build/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
    rm -rf "$build"
  fi
  [ -f "$build/build.ninja" ] && return
  [ ! -t 2 ] || say "configuring"
  (cd "$root" && cmake --preset release) </dev/null >"$log" 2>&1
}

prepare() {
  set -o pipefail
  mkdir -p "$root/build"
  # One preparation at a time; the others wait.
  if command -v flock >/dev/null; then
    exec 9>"$root/build/prepare.lock"
    flock -n 9 || { [ ! -t 2 ] || say "waiting for another build to finish"; flock 9; }
  fi
  ensure_packages
  if ! { configure && run_logged ninja -C "$build" "$@"; }; then
    rm -f "$packages_stamp"   # look again next time
    cat "$log" >&2
    give_up "the build failed; the output is above and in $log"
  fi
  if command -v flock >/dev/null; then exec 9>&-; fi
}
