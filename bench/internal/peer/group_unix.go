//go:build unix

package peer

import (
	"os/exec"
	"syscall"
)

// ownGroup protects the process from the Ctrl-C of a terminal: its parent stops it.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
