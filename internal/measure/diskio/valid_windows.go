package diskio

import "golang.org/x/sys/windows"

// mayDeclare asks for the right to declare space valid, which administrators have and must ask for. Without it declareValid
// fails and says so.
func mayDeclare() {
	var token windows.Token
	if windows.OpenProcessToken(windows.CurrentProcess(), windows.TOKEN_ADJUST_PRIVILEGES|windows.TOKEN_QUERY, &token) != nil {
		return
	}
	defer func() { _ = token.Close() }()
	name, err := windows.UTF16PtrFromString("SeManageVolumePrivilege")
	if err != nil {
		return
	}
	right := windows.Tokenprivileges{PrivilegeCount: 1, Privileges: [1]windows.LUIDAndAttributes{{Attributes: windows.SE_PRIVILEGE_ENABLED}}}
	if windows.LookupPrivilegeValue(nil, name, &right.Privileges[0].Luid) == nil {
		_ = windows.AdjustTokenPrivileges(token, false, &right, 0, nil, nil)
	}
}

// declareValid declares reserved space to be written already. Windows keeps up to where each file has been: a write beyond
// that waits until the gap has been filled with zeros, and those that move the mark wait for one another.
// https://learn.microsoft.com/windows/win32/api/fileapi/nf-fileapi-setfilevaliddata
func declareValid(f testFile, size int64) error {
	return windows.SetFileValidData(windows.Handle(f.fd()), size)
}
