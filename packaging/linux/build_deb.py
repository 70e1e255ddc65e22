"""Make a Debian package of the one-folder build: files where the desktop looks for them, no script that runs as root.

    LIBRA_ONEDIR=1 pyinstaller build.spec
    python packaging/linux/build_deb.py dist/libra-folder dist/

Needs ``dpkg-deb`` and ``objdump``. Nothing starts by itself after the installation: `libra autostart on` or the icon's menu has it start at login.
"""

from __future__ import annotations

import gzip
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from email.utils import formatdate
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
PACKAGE = "libra-memory"
MAINTAINER = "The Libra developers <libra@libra-memory.invalid>"
"""Of a reserved domain: there is no address yet that could be written to."""
OVERRIDES = """\
# Python, its packages and their libraries travel with the program, as their authors built them: it must be the same everywhere.
{package}: embedded-library *
{package}: hardening-no-bindnow *
{package}: hardening-no-fortify-functions *
{package}: hardening-no-pie *
{package}: hardening-no-relro *
{package}: library-not-linked-against-libc *
{package}: shared-library-lacks-prerequisites *
{package}: unstripped-binary-or-object *
{package}: custom-library-search-path *
# No package of the distribution, so there was no wish for one.
{package}: initial-upload-closes-no-bugs *
"""
"""What lintian would complain of, and why it is so."""


def version() -> str:
    """Return Libra's version."""
    found = re.search(r'__version__ = "([^"]+)"', (ROOT / "libra" / "__init__.py").read_text("utf-8"))
    assert found is not None
    return found[1]


def licence() -> str:
    """Return the name of the licence as the package's metadata has it."""
    found = re.search(r'^license = "([^"]+)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    return found[1] if found else "LicenseRef-proprietary"


COMMON_LICENCES = """
On Debian systems the texts of these licences are in /usr/share/common-licenses: LGPL-3 and LGPL-2.1 (pystray, python-xlib),
Apache-2.0, MPL-2.0, BSD and GPL-2.
"""
"""Debian keeps one copy of each text; a package points there (Policy 12.5)."""


def put(source: Path, target: Path, *, mode: int = 0o644) -> None:
    """Copy a file into the tree."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def put_packed(text: str, target: Path) -> None:
    """Write a text as Debian packs documents: the same bytes for the same words."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    target.chmod(0o644)


def man_page() -> ModuleType:
    """Return the script that writes the manual page."""
    spec = importlib.util.spec_from_file_location("libra_man_page", HERE / "man_page.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def changelog(stamp: int) -> str:
    """Return the package's changelog; what changed for people stands in Libra's own."""
    entry = f"{PACKAGE} ({version()}) unstable; urgency=medium\n\n  * See CHANGELOG.md beside this file.\n\n"
    return entry + f" -- {MAINTAINER}  {formatdate(stamp)}\n"


def c_library(folder: Path) -> str:
    """Return the oldest version of glibc with which all programs and libraries of a folder start."""
    found = {(2, 31)}
    for path in [p for p in folder.rglob("*") if p.is_file() and not p.is_symlink()]:
        with path.open("rb") as file:
            if file.read(4) != b"\x7fELF":
                continue
        told = subprocess.run(["objdump", "-p", str(path)], capture_output=True, text=True, check=True).stdout
        found |= {(int(a), int(b)) for a, b in re.findall(r"GLIBC_(\d+)\.(\d+)", told)}
    return ".".join(map(str, max(found)))


def tree(folder: Path, root: Path, stamp: int) -> None:
    """Lay the package's files out below ``root``."""
    date = time.strftime("%Y-%m-%d", time.gmtime(stamp))
    lib = root / "usr" / "lib" / "libra"
    shutil.copytree(folder, lib, symlinks=True)
    for path in [p for p in lib.rglob("*") if not p.is_symlink()]:
        runs = path.name in {"libra", "libra-client"} and path.parent == lib
        path.chmod(0o755 if path.is_dir() or runs else 0o644)
    (root / "usr" / "bin").mkdir(parents=True)
    (root / "usr" / "bin" / "libra").symlink_to("../lib/libra/libra")
    share = root / "usr" / "share"
    put(HERE / "libra.desktop", share / "applications" / "libra.desktop")
    put(HERE / "libra.service", root / "usr" / "lib" / "systemd" / "user" / "libra.service")
    theme = share / "icons" / "hicolor"
    for picture in sorted((ROOT / "assets" / "hicolor").rglob("*.png")):
        put(picture, theme / picture.relative_to(ROOT / "assets" / "hicolor"))
    put(ROOT / "assets" / "icons" / "libra.svg", theme / "scalable" / "apps" / "libra.svg")
    docs = share / "doc" / PACKAGE
    put(ROOT / "LICENSE", docs / "copyright")
    with (docs / "copyright").open("a", encoding="utf-8") as file:
        file.write("\n" + (ROOT / "NOTICE").read_text("utf-8") + COMMON_LICENCES)
    put(ROOT / "README.md", docs / "README.md")
    put(ROOT / "CHANGELOG.md", docs / "CHANGELOG.md")
    put_packed(changelog(stamp), docs / "changelog.gz")
    put_packed(man_page().page(date), share / "man" / "man1" / "libra.1.gz")
    overrides = share / "lintian" / "overrides" / PACKAGE
    overrides.parent.mkdir(parents=True)
    overrides.write_text(OVERRIDES.format(package=PACKAGE), "utf-8")
    overrides.chmod(0o644)
    info = (HERE / "org.libra_memory.libra.metainfo.xml").read_text("utf-8")
    for mark, value in (("@VERSION@", version()), ("@DATE@", date), ("@LICENSE@", licence())):
        info = info.replace(mark, value)
    target = share / "metainfo" / "org.libra_memory.libra.metainfo.xml"
    target.parent.mkdir(parents=True)
    target.write_text(info, "utf-8")
    target.chmod(0o644)


def control(root: Path, architecture: str) -> None:
    """Write the package's own description."""
    size_kib = sum(p.stat().st_size for p in root.rglob("*") if p.is_file() and not p.is_symlink()) // 1024
    (root / "DEBIAN").mkdir()
    (root / "DEBIAN" / "control").write_text(
        f"""Package: {PACKAGE}
Version: {version()}
Architecture: {architecture}
Maintainer: {MAINTAINER}
Installed-Size: {size_kib}
Depends: libc6 (>= {c_library(root)})
Recommends: libnotify-bin
Section: utils
Priority: optional
Description: long-term memory for AI agents
 Libra runs in the background, reads what a person and their AI agents say to
 each other, and gives every agent what is worth knowing: decisions, rules,
 facts about projects. Everything stays on the machine.
 .
 "libra open" shows what it knows, "libra connect" lets an agent use it, and
 "libra uninstall" takes out every trace it has made in agents' settings.
""",
        "utf-8",
    )


def main() -> None:
    """Build the package from the folder that is named, into the folder that is named."""
    folder, target = Path(sys.argv[1]), Path(sys.argv[2])
    architecture = ARCHITECTURES[os.uname().machine]
    stamp = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    target.mkdir(parents=True, exist_ok=True)
    out = target / f"{PACKAGE}_{version()}_{architecture}.deb"
    with tempfile.TemporaryDirectory(prefix="libra-deb-") as scratch:
        root = Path(scratch) / "root"
        root.mkdir(mode=0o755)
        tree(folder, root, stamp)
        control(root, architecture)
        for path in (root, *root.rglob("*")):
            if path.is_dir():
                path.chmod(0o755)
        words = ["dpkg-deb", "--root-owner-group", "-Zxz", "-z4", "--build", str(root), str(out)]
        subprocess.run(words, check=True, env={**os.environ, "SOURCE_DATE_EPOCH": str(stamp)})
    print(f"{out} ({out.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
