//go:build unix

package peer

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the Ctrl-C of a terminal from the process: the one that started
// it stops it.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
