#!/usr/bin/env bash
# Build Libra.app and a zip of it; sign and notarise where the keys are there.
#     LIBRA_SIGN="Developer ID Application: …"  LIBRA_NOTARY=<keychain profile of notarytool>
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
LIBRA_ONEDIR=1 pyinstaller --clean --noconfirm build.spec
app=dist/Libra.app
if [ -n "${LIBRA_SIGN:-}" ]; then
    # From the inside out: libraries (Python's own has no ending that would tell), the second program, the bundle.
    find "$app" -type f -print0 | while IFS= read -r -d '' file; do
        case $(file -b "$file") in
            Mach-O*) codesign --force --timestamp --options runtime --sign "$LIBRA_SIGN" "$file" ;;
        esac
    done
    codesign --force --timestamp --options runtime --entitlements packaging/macos/entitlements.plist --sign "$LIBRA_SIGN" "$app"
    codesign --verify --strict --verbose=2 "$app"
else
    echo "not signed: LIBRA_SIGN is not set" >&2
fi
zip=dist/libra-macos-$(uname -m).zip
ditto -c -k --keepParent "$app" "$zip"
if [ -n "${LIBRA_SIGN:-}" ] && [ -n "${LIBRA_NOTARY:-}" ]; then
    xcrun notarytool submit "$zip" --keychain-profile "$LIBRA_NOTARY" --wait
    xcrun stapler staple "$app"
    ditto -c -k --keepParent "$app" "$zip"
fi
"$app/Contents/MacOS/libra" --version
python packaging/smoke.py "$app/Contents/MacOS/libra" serve demo
