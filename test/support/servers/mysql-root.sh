#!/usr/bin/env bash
# Makes a folder with Debian's unstable MySQL server in it, once, and keeps it outside the repository.
#   mysql-root.sh                 make it if it is not there
#   mysql-root.sh --print-folder  only say where it is
# Exit status: 0 there, 75 the packages cannot be downloaded, 1 anything else.
set -euo pipefail

readonly unavailable=75
readonly folder="${XDG_CACHE_HOME:-/var/cache}/chat-service-tests/mysql-sid"
readonly mirror="${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
readonly keyring=/usr/share/keyrings/debian-archive-keyring.gpg

if [[ "${1:-}" == --print-folder ]]; then
  echo "$folder"
  exit 0
fi
[[ -x "$folder/usr/sbin/mysqld" ]] && exit 0

if [[ "$(id -u)" != 0 ]]; then
  echo "MySQL for the tests lives in a chroot folder: run this as root." >&2
  exit 1
fi

mkdir -p "$(dirname "$folder")"
building="$(mktemp -d "$folder.XXXXXX")"
trap 'rm -rf "$building"' EXIT
log="$building/download.log"

# An apt of its own, which knows of no installed package: so it brings the server with every library that it needs, and
# this machine's packages stay as they are.
mkdir -p "$building/apt/lists/partial" "$building/apt/cache/archives/partial"
touch "$building/apt/status"
echo "deb [signed-by=$keyring] $mirror sid main" > "$building/apt/sources.list"
apt_get() {
  apt-get -q -y \
    -o Dir::State::lists="$building/apt/lists" -o Dir::State::status="$building/apt/status" \
    -o Dir::Cache="$building/apt/cache" -o Dir::Etc::sourcelist="$building/apt/sources.list" \
    -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
    -o APT::Install-Recommends=false -o APT::Sandbox::User=root -o Acquire::Languages=none "$@"
}

echo "Making $folder (some seconds, 350 MB) …"
if ! { apt_get update && apt_get install --download-only mysql-server-core; } > "$log" 2>&1; then
  tail -n 5 "$log" >&2
  echo "MySQL cannot be downloaded from $mirror" >&2
  exit "$unavailable"
fi

# Unpacked and not installed: the server needs its libraries, and none of what the packages set up.
mkdir -p "$building/root/tmp" "$building/root/usr"/{bin,lib,lib64,sbin}
for link in bin lib lib64 sbin; do
  ln -s "usr/$link" "$building/root/$link"
done
for package in "$building"/apt/cache/archives/*.deb; do
  dpkg-deb --extract "$package" "$building/root"
done
if ! chroot "$building/root" /usr/sbin/mysqld --version; then
  echo "The MySQL server cannot be started" >&2
  exit 1
fi
# The finished folder appears in one step, so that an interrupted run never leaves half of one.
mv -T "$building/root" "$folder"
