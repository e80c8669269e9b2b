//go:build unix

package pgtest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A process is a program that ends with the process that started it, also when that
// is killed.
type process struct {
	program
	pid   int
	alive io.Closer     // the program is stopped when it is closed
	ended chan struct{} // closed when the program has ended
}

// A program is what to start.
type program struct {
	name  string              // of its log in dir
	dir   string              // removed when the program outlived this process and was stopped
	owner *syscall.Credential // nil for the user of this process
	stop  string              // the signal that stops it, such as "INT"
	env   []string            // beside that of this process
	args  []string
}

// start starts a program.
func (p program) start() (*process, error) {
	// The shell prints the id of the program, and stops the program when it can no longer
	// read from this process.
	const script = `"$@" 3>&- & program=$!
		echo $program >&3
		exec 3<&0; (read _ <&3; : >"$dir/orphan"; kill -$stop $program 2>/dev/null) & reader=$!
		wait $program; kill $reader 2>/dev/null
		if [ -e "$dir/orphan" ]; then rm -rf "$dir"; fi`
	started := &process{program: p, ended: make(chan struct{})}
	cmd := exec.Command("sh", append([]string{"-c", script, "sh"}, p.args...)...)
	cmd.Env = append(append(os.Environ(), "dir="+p.dir, "stop="+p.stop), p.env...)
	cmd.Dir = p.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: p.owner}
	log, err := os.OpenFile(p.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if started.alive, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	told, tells, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer told.Close()
	cmd.ExtraFiles = []*os.File{tells} // is 3 there
	err = cmd.Start()
	tells.Close()
	if err != nil {
		return nil, err
	}
	go func() {
		_ = cmd.Wait()
		close(started.ended)
	}()
	if _, err := fmt.Fscan(told, &started.pid); err != nil {
		started.stop()
		return nil, fmt.Errorf("the id of %s: %w", p.name, err)
	}
	return started, nil
}

// stop stops the program, and returns when it has ended.
func (p *process) stop() {
	p.alive.Close()
	<-p.ended
}

// log is what the program has printed.
func (p program) log() string {
	text, _ := os.ReadFile(p.logFile())
	return string(text)
}

func (p program) logFile() string { return filepath.Join(p.dir, p.name+".log") }

// signal sends a signal to the program alone.
func (p *process) signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(p.pid, signal); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
}

// pidIn is the process id in the first line of a file.
func pidIn(t testing.TB, file string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	return pid
}

// signalAll sends a signal to a process and to its children.
func signalAll(t testing.TB, parent int, signal syscall.Signal) {
	t.Helper()
	_ = syscall.Kill(parent, syscall.SIGSTOP) // lest it start more, or notice that one ended
	for _, pid := range children(t, parent) {
		_ = syscall.Kill(pid, signal) // it may have ended
	}
	_ = syscall.Kill(parent, signal)
}

// children are the processes that a process started.
func children(t testing.TB, parent int) (pids []int) {
	t.Helper()
	out, err := exec.Command("ps", "-e", "-o", "pid=,ppid=").Output()
	if err != nil {
		t.Fatalf("pgtest: ps: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		var pid, ppid int
		if _, err := fmt.Sscan(line, &pid, &ppid); err == nil && ppid == parent {
			pids = append(pids, pid)
		}
	}
	return pids
}
