# Build libra.exe (one file), the one-folder build, and the setup program; sign where a certificate is there.
#     $env:LIBRA_CERT = thumbprint of a certificate in the user's store; $env:LIBRA_TIMESTAMP = a time stamp server
$ErrorActionPreference = "Stop"
Set-Location (Join-Path $PSScriptRoot "..\..")
function Invoke-Checked($program) { # "Stop" is for PowerShell's own commands: a program that fails does not stop the script
    & $program @args
    if ($LASTEXITCODE -ne 0) { throw "$program $args ended with $LASTEXITCODE" }
}
function Find-Tool($name, $places) { # neither Inno Setup nor the Windows SDK puts its programs on the path
    $found = Get-Command $name -ErrorAction SilentlyContinue
    if ($found) { return $found.Source }
    $file = Get-Item $places -ErrorAction SilentlyContinue | Sort-Object FullName | Select-Object -Last 1
    if (-not $file) { throw "$name is not here: looked on the path and in $places" }
    return $file.FullName
}
function Add-Signature($files) {
    if (-not $env:LIBRA_CERT) { Write-Warning "not signed: LIBRA_CERT is not set"; return }
    $signtool = Find-Tool signtool "${env:ProgramFiles(x86)}\Windows Kits\10\bin\*\x64\signtool.exe"
    Invoke-Checked $signtool sign /sha1 $env:LIBRA_CERT /fd SHA256 /tr $env:LIBRA_TIMESTAMP /td SHA256 @files
}
Invoke-Checked python packaging\windows\version_resource.py
Invoke-Checked pyinstaller --clean --noconfirm build.spec
$env:LIBRA_ONEDIR = "1"
Invoke-Checked pyinstaller --noconfirm build.spec
Remove-Item Env:LIBRA_ONEDIR
$version = python -c "import libra; print(libra.__version__)"
Add-Signature @("dist\libra.exe", "dist\libra-folder\libra.exe", "dist\libra-folder\libra-client.exe")
$iscc = Find-Tool iscc "${env:ProgramFiles(x86)}\Inno Setup 6\ISCC.exe"
Invoke-Checked $iscc "/DVersion=$version" packaging\windows\libra.iss
Add-Signature @("dist\libra-$version-setup.exe")
Invoke-Checked dist\libra.exe --version
Invoke-Checked dist\libra.exe demo
