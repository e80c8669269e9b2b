package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// pseudoTerminal opens a pseudo-terminal: its controlling side, and the side that programs see.
func pseudoTerminal(t *testing.T) (control, tty *os.File) {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("this machine gives no pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { control.Close() })
	var unlock, number int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, control.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	return control, tty
}

// shows reports whether a terminal echoes keys.
func shows(t *testing.T, tty *os.File) bool {
	t.Helper()
	var mode syscall.Termios
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, tty.Fd(), syscall.TCGETS, uintptr(unsafe.Pointer(&mode))); errno != 0 {
		t.Fatal(errno)
	}
	return mode.Lflag&syscall.ECHO != 0
}

// An interrupt at the question for a password ends it at once, and the terminal echoes keys again.
func TestPassword_Interrupted(t *testing.T) {
	_, tty := pseudoTerminal(t)
	ctx, interrupt := context.WithCancel(t.Context())
	asked := make(chan error, 1)
	go func() {
		_, err := terminal{tty, &bytes.Buffer{}, &bytes.Buffer{}}.password(ctx)
		asked <- err
	}()
	for shows(t, tty) {
		time.Sleep(time.Millisecond)
	}
	interrupt()
	if err := <-asked; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if !shows(t, tty) {
		t.Error("the terminal does not echo keys")
	}
}
