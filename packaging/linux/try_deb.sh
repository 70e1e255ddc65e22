#!/usr/bin/env bash
# Look a package over, install it into a root of its own, start what it installed, and take it out again.
#     packaging/linux/try_deb.sh dist/libra-memory_*.deb
# What is not there (lintian, appstreamcli, desktop-file-validate, systemd-analyze, man) is not asked, and that is said.
set -euo pipefail
deb=$(readlink -f "$1")
root=$(mktemp -d /tmp/libra-root-XXXXXX)
trap 'rm -rf "$root"' EXIT

asked() { # asked TOOL …: run it if it is there
    if command -v "$1" >/dev/null; then echo "$*"; "$@"; else echo "not asked: $1 is not here"; fi
}

mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
dpkg-deb --info "$deb"
asked lintian --fail-on error,warning --allow-root "$deb"
# Its dependencies are those of the system around it: they are not in this root.
dpkg --root="$root" --force-depends --force-not-root --install "$deb"
share=$root/usr/share
asked desktop-file-validate "$share/applications/libra.desktop"
asked appstreamcli validate --no-net "$share/metainfo/org.libra_memory.libra.metainfo.xml"
asked man --warnings=all -l "$share/man/man1/libra.1.gz" >"$root/man.txt" 2>"$root/man.err"
[ ! -s "$root/man.err" ] || { cat "$root/man.err"; exit 1; }
if command -v systemd-analyze >/dev/null; then
    # It looks for the program where the unit says that it is.
    sed "s|/usr/bin/libra|$root/usr/bin/libra|" "$root/usr/lib/systemd/user/libra.service" >"$root/libra.service"
    mkdir -m 700 "$root/run"
    XDG_RUNTIME_DIR=$root/run asked systemd-analyze --user verify --man=no "$root/libra.service"
fi
"$root/usr/bin/libra" --version
HOME=$root/home "$root/usr/bin/libra" demo | tail -n 3
dpkg --root="$root" --force-not-root --verify libra-memory
dpkg --root="$root" --force-not-root --purge libra-memory
left=$(find "$root/usr" -type f | head)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
echo "installed, started and taken out again"
