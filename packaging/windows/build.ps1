# Build libra.exe (one file), the one-folder build, and the setup program; sign where a certificate is there.
#     $env:LIBRA_CERT = thumbprint of a certificate in the user's store; $env:LIBRA_TIMESTAMP = a time stamp server
$ErrorActionPreference = "Stop"
Set-Location (Join-Path $PSScriptRoot "..\..")
python packaging\windows\version_resource.py
pyinstaller --clean --noconfirm build.spec
$env:LIBRA_ONEDIR = "1"
pyinstaller --noconfirm build.spec
$version = python -c "import libra; print(libra.__version__)"
function Sign($files) {
    if ($env:LIBRA_CERT) { signtool sign /sha1 $env:LIBRA_CERT /fd SHA256 /tr $env:LIBRA_TIMESTAMP /td SHA256 $files }
    else { Write-Warning "not signed: LIBRA_CERT is not set" }
}
Sign @("dist\libra.exe", "dist\libra-folder\libra.exe", "dist\libra-folder\libra-client.exe")
iscc "/DVersion=$version" packaging\windows\libra.iss
Sign @("dist\libra-$version-setup.exe")
& dist\libra.exe --version
& dist\libra.exe demo
