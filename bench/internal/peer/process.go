package peer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Subcommand is the first argument of a peer's process; the second is its Config.
const Subcommand = "serve-peer"

// A Process is a running peer.
type Process struct {
	Name          string
	Addr          string
	Authorization string

	config Config
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr *tail
	ended  chan struct{} // closed when the process has ended
}

// Start runs this program again as a peer and waits until it serves.
func Start(ctx context.Context, c Config) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	p := &Process{Name: c.Name, config: c, stderr: &tail{}, ended: make(chan struct{})}
	p.cmd = exec.Command(self, Subcommand, string(config))
	p.cmd.Stderr = p.stderr
	ownGroup(p.cmd)
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	greeted := make(chan error, 1)
	var hello greeting
	go func() {
		greeted <- json.NewDecoder(stdout).Decode(&hello)
		_, _ = io.Copy(io.Discard, stdout)
		_ = p.cmd.Wait() // its standard error has the reason
		close(p.ended)
	}()
	select {
	case err = <-greeted:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		p.Stop()
		return nil, fmt.Errorf("%s did not start: %w\n%s", c.Name, err, p.stderr)
	}
	p.Addr, p.Authorization = hello.Addr, hello.Authorization
	return p, nil
}

// Again is the Config of a process that serves the rows of this one, once it has ended.
func (p *Process) Again() Config {
	c := p.config
	c.Source = ""
	return c
}

// Stop ends the process and waits until it has ended, after a while by force. It may be
// called again.
func (p *Process) Stop() {
	_ = p.stdin.Close()
	select {
	case <-p.ended:
		return
	case <-time.After(10 * time.Second):
	}
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// Said returns the end of what the process wrote to its standard error.
func (p *Process) Said() string { return p.stderr.String() }

// RSS returns the memory of the process in RAM, in bytes; 0 if the system does not
// provide it.
func (p *Process) RSS() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// CPU returns the CPU time of the process; 0 if the system does not provide it.
func (p *Process) CPU() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	_, after, ok := strings.Cut(string(text), ") ") // after the name, which may contain anything
	fields := strings.Fields(after)
	if err != nil || !ok || len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	const tick = 10 * time.Millisecond // USER_HZ is 100 wherever Go runs
	return time.Duration(user+system) * tick
}

// Written returns the bytes that the process has written to files and connections, and the
// calls of the system that wrote them; 0 if the system does not provide them.
func (p *Process) Written() (bytes, calls int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", p.cmd.Process.Pid))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch n, _ := strconv.ParseInt(value, 10, 64); name {
		case "wchar":
			bytes = n
		case "syscw":
			calls = n
		}
	}
	return bytes, calls
}

// A tail keeps the end of the written text.
type tail struct {
	mu  sync.Mutex
	end []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, p...)
	if extra := len(t.end) - 4096; extra > 0 {
		t.end = append(t.end[:0], t.end[extra:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.end))
}
