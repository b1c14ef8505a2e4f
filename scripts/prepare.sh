# Sourced by ./stickslip and ./test. Makes sure that the packages of packages.txt are there and that build/release holds
# an up-to-date build of the wanted targets. Standard error tells what is done: ./test says every stage, ./stickslip only
# what takes long. The complete output of a failed command is shown.
#
#   prepare <run|render|study|python|test|peers> <target>…      returns when the targets are built, or exits with 3 and a message

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
build=$root/build/release
log=$root/build/prepare.log
silence=30   # seconds after which a build that nobody watches on a terminal says how far it is

say() { printf '%s\n' "stickslip: $*" >&2; }
give_up() { say "$@"; exit 3; }
# Whoever tests wants to know where the time goes; whoever runs the program wants its output, and hears it on a terminal only.
announce() { { [ "$purpose" != test ] && [ ! -t 2 ]; } || say "$@"; }

# Packages of some sections of the list; "<package> unless <command>" is left out where the command is there already,
# from wherever.
wanted_packages() {
  local section=none package unless command
  sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$root/packages.txt" | while read -r package unless command; do
    case $package in
      '['*']') section=${package:1:-1} ;;
      *)
        [[ " $* " = *" $section "* ]] || continue
        [ "$unless" = unless ] && command -v "$command" >/dev/null || printf '%s\n' "$package"
        ;;
    esac
  done
}

missing_packages() {
  local installed
  # The name without ":amd64"; virtual packages are not used in the list.
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p')
  wanted_packages "$@" | grep -vxF -f <(printf '%s\n' "$installed") || true
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
  local sections=(run) checksum missing
  [ "$purpose" = run ] || sections+=("$purpose")
  [ "$purpose" != test ] || sections+=(python)
  checksum=$(cksum <"$root/packages.txt")
  [ -f "$build/build.ninja" ] && [ "$(cat "$packages_stamp" 2>/dev/null)" = "$checksum" ] && return
  if command -v dpkg-query >/dev/null; then
    missing=$(missing_packages "${sections[@]}")
    # Word splitting is wanted: one argument per package.
    # shellcheck disable=SC2086
    [ -z "$missing" ] || install_packages $missing
  elif ! command -v cmake >/dev/null || ! command -v ninja >/dev/null; then
    # shellcheck disable=SC2046
    give_up "this is not a Debian system; install the counterparts of these Debian packages and try again:" \
      $(wanted_packages "${sections[@]}")
  fi
  printf '%s\n' "$checksum" >"$packages_stamp"
}

# Shows the lines of ninja: on a terminal as one line that is overwritten, else one of them now and then.
show_progress() {
  local line step='' width next=$((SECONDS + silence)) status
  width=$(tput cols 2>/dev/null || echo 80)
  while true; do
    status=0
    IFS= read -r -t 1 line || status=$?
    [ "$status" = 0 ] || [ "$status" -gt 128 ] || break   # above 128: no line within the second
    if [ "$status" = 0 ]; then
      case $line in
        *'globbed directories'*) ;;
        '['*/*']'*) step=${line%%]*}] ; [ ! -t 2 ] || printf '\r\033[K%s' "${line:0:width-1}" >&2 ;;
      esac
    fi
    if [ ! -t 2 ] && [ "$SECONDS" -ge "$next" ]; then
      say "building $step"
      next=$((SECONDS + silence))
    fi
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
}

run_logged() { "$@" </dev/null 2>&1 | tee "$log" | show_progress; }

# What the build must have been configured with. Running needs no tests, and leaves them where ./test has asked for them.
# Warnings are errors from the start or not at all: changing that would compile everything again.
wanted_settings() {
  local fresh
  [ -f "$build/CMakeCache.txt" ] && fresh=0 || fresh=1
  case $purpose in test | python) printf '%s\n' STICKSLIP_PYTHON:BOOL=ON ;; esac
  if [ "$purpose" = test ]; then printf '%s\n' STICKSLIP_TESTS:BOOL=ON
  elif [ "$purpose" = peers ]; then printf '%s\n' STICKSLIP_TESTS:BOOL=OFF STICKSLIP_BENCH:BOOL=ON STICKSLIP_PEERS:BOOL=ON
  elif [ "$fresh" = 1 ]; then printf '%s\n' STICKSLIP_TESTS:BOOL=OFF
  fi
  [ "${CI:-}$fresh" = true1 ] && printf '%s\n' STICKSLIP_WERROR:BOOL=ON
  return 0
}

configure() {
  local setting unset=0 options=()
  # A build tree that was copied here from another place cannot be reused.
  if [ -f "$build/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
    rm -rf "$build"
  fi
  for setting in $(wanted_settings); do
    options+=("-D$setting")
    grep -qsxF "$setting" "$build/CMakeCache.txt" || unset=1
  done
  [ "$unset" = 1 ] || [ ! -f "$build/build.ninja" ] || return 0
  announce "configuring"
  (cd "$root" && cmake --preset release -B "$build" "${options[@]}") </dev/null >"$log" 2>&1
}

prepare() {
  local purpose=$1 packages_stamp=$root/build/packages.$1.stamp   # checksum of the package list that was last found complete
  shift
  set -o pipefail
  mkdir -p "$root/build"
  # One preparation at a time; the others wait.
  if command -v flock >/dev/null; then
    exec 9>"$root/build/prepare.lock"
    flock -n 9 || { announce "waiting for another build to finish"; flock 9; }
  fi
  ensure_packages
  if ! { configure && { [ "$purpose" != test ] || say "building"; } && run_logged ninja -C "$build" "$@"; }; then
    rm -f "$packages_stamp"   # look again next time
    cat "$log" >&2
    give_up "the build failed; the output is above and in $log"
  fi
  if command -v flock >/dev/null; then exec 9>&-; fi
}
