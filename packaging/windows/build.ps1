# Build libra.exe (one file), the one-folder build, and the setup program; sign where a certificate is there.
#     $env:LIBRA_CERT = thumbprint of a certificate in the user's store; $env:LIBRA_TIMESTAMP = a time stamp server
$ErrorActionPreference = "Stop"
Set-Location (Join-Path $PSScriptRoot "..\..")
function Invoke-Checked($program) { # "Stop" is for PowerShell's own commands: a program that fails does not stop the script
    & $program @args
    if ($LASTEXITCODE -ne 0) { throw "$program $args ended with $LASTEXITCODE" }
}
function Add-Signature($files) {
    if (-not $env:LIBRA_CERT) { Write-Warning "not signed: LIBRA_CERT is not set"; return }
    Invoke-Checked signtool sign /sha1 $env:LIBRA_CERT /fd SHA256 /tr $env:LIBRA_TIMESTAMP /td SHA256 @files
}
Invoke-Checked python packaging\windows\version_resource.py
Invoke-Checked pyinstaller --clean --noconfirm build.spec
$env:LIBRA_ONEDIR = "1"
Invoke-Checked pyinstaller --noconfirm build.spec
Remove-Item Env:LIBRA_ONEDIR
$version = python -c "import libra; print(libra.__version__)"
Add-Signature @("dist\libra.exe", "dist\libra-folder\libra.exe", "dist\libra-folder\libra-client.exe")
Invoke-Checked iscc "/DVersion=$version" packaging\windows\libra.iss
Add-Signature @("dist\libra-$version-setup.exe")
Invoke-Checked dist\libra.exe --version
Invoke-Checked dist\libra.exe demo
