; Inno Setup 6: installs for this user alone, without the rights of an administrator.
;     iscc /DVersion=0.1.0 packaging\windows\libra.iss
#ifndef Version
  #define Version "0.0.0"
#endif

[Setup]
AppId={{6C2C5C0E-6C7B-4B39-9E0B-6D0F3B1C5A77}
AppName=Libra
AppVersion={#Version}
DefaultDirName={localappdata}\Programs\Libra
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
OutputDir=..\..\dist
OutputBaseFilename=libra-{#Version}-setup
SetupIconFile=..\..\assets\icons\libra.ico
UninstallDisplayIcon={app}\libra.exe
Compression=lzma2
SolidCompression=yes

[Tasks]
Name: "login"; Description: "Start Libra when I log in"

[Files]
Source: "..\..\dist\libra-folder\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[Icons]
Name: "{userprograms}\Libra"; Filename: "{app}\libra.exe"; Parameters: "run"

[Registry]
; The same value that `libra autostart on` writes, so that `off` and the icon's menu know it. In quotes: the person's folder may have
; a space in its name, and Windows would else try each part of the path for a program.
Root: HKCU; Subkey: "Software\Microsoft\Windows\CurrentVersion\Run"; ValueType: string; ValueName: "Libra"; \
    ValueData: """{app}\libra.exe"" run"; Tasks: login; Flags: uninsdeletevalue

[Run]
Filename: "{app}\libra.exe"; Parameters: "run"; Description: "Start Libra"; Flags: nowait postinstall skipifsilent

[UninstallRun]
; Takes out what was written in agents' settings and at login; what Libra knows is kept.
Filename: "{app}\libra.exe"; Parameters: "uninstall"; RunOnceId: "libra"; Flags: runhidden

[Code]
{ An upgrade: the files of a program that runs cannot be replaced. The setup starts it again at the end. }
function PrepareToInstall(var NeedsRestart: Boolean): String;
var
  Code: Integer;
begin
  if FileExists(ExpandConstant('{app}\libra.exe')) then
    Exec(ExpandConstant('{app}\libra.exe'), 'shutdown', '', SW_HIDE, ewWaitUntilTerminated, Code);
  Result := '';
end;
