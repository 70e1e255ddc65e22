#!/usr/bin/env bash
# Install a package into a root of its own, start what it installed, and take it out again.
#     packaging/linux/try_deb.sh dist/libra-memory_*.deb
set -euo pipefail
deb=$(readlink -f "$1")
root=$(mktemp -d /tmp/libra-root-XXXXXX)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
dpkg-deb --info "$deb"
# Its dependencies are those of the system around it: they are not in this root.
dpkg --root="$root" --force-depends --force-not-root --install "$deb"
"$root/usr/bin/libra" --version
HOME=$root/home "$root/usr/bin/libra" demo | tail -n 3
dpkg --root="$root" --force-not-root --verify libra-memory
dpkg --root="$root" --force-not-root --purge libra-memory
left=$(find "$root/usr" -type f | head)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
echo "installed, started and taken out again"
