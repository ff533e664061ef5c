#!/usr/bin/env bash
# Makes a folder with Debian's unstable MySQL server in it, once, and keeps it outside the repository.
#   mysql-root.sh                 make it if it is not there
#   mysql-root.sh --print-folder  only say where it is
# Exit status: 0 there, 75 the packages cannot be downloaded, 1 anything else.
set -euo pipefail

readonly unavailable=75
readonly folder="${XDG_CACHE_HOME:-/var/cache}/chat-service-tests/mysql-sid"
readonly mirror="${DEBIAN_MIRROR:-http://deb.debian.org/debian}"

if [[ "${1:-}" == --print-folder ]]; then
  echo "$folder"
  exit 0
fi
[[ -x "$folder/usr/sbin/mysqld" ]] && exit 0

if [[ "$(id -u)" != 0 ]]; then
  echo "MySQL for the tests lives in a chroot folder: run this as root." >&2
  exit 1
fi
if ! command -v debootstrap > /dev/null; then
  echo "debootstrap is not installed: apt-get install debootstrap" >&2
  exit 1
fi

mkdir -p "$(dirname "$folder")"
building="$(mktemp -d "$folder.XXXXXX")"
trap 'rm -rf "$building"' EXIT
log="$building/download.log"

debootstrap_sid() {
  debootstrap "$@" --variant=minbase --include=mysql-server-core sid "$building/root" "$mirror"
}

echo "Making $folder (about a minute, 560 MB) …"
if ! debootstrap_sid --download-only > "$log" 2>&1; then
  tail -n 5 "$log" >&2
  echo "MySQL cannot be downloaded from $mirror" >&2
  exit "$unavailable"
fi
if ! debootstrap_sid > "$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "debootstrap failed" >&2
  exit 1
fi
rm -rf "$building/root/var/cache/apt/archives"/*.deb
mkdir -p "$building/root/tmp"
# The finished folder appears in one step, so that an interrupted run never leaves half of one.
mv -T "$building/root" "$folder"
