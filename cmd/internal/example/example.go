// Package example runs examples/shop in a process of its own, for commands that test it
// under faults and load. It listens only on the loopback interface.
package example

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Build compiles the example into dir and returns the path of the program: a copy of what go run
// keeps in the build cache, so that only the first of several builds links it. It needs the go
// command, and the module's folder or one below it as the current one.
func Build(ctx context.Context, dir string) (string, error) {
	program := filepath.Join(dir, "shop")
	out, err := exec.CommandContext(ctx, "go", "run", "-exec", "cp", "github.com/shopapi/shopapi/examples/shop", program).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building examples/shop: %w: %s", err, bytes.TrimSpace(out))
	}
	return program, nil
}

// A Process is a running example.
type Process struct {
	cmd     *exec.Cmd
	address chan string // receives one address, when it serves
	stderr  tail
	ended   chan struct{} // closed when the process has ended
	err     error         // how it ended
}

// Launch starts the program on a database, a file or the DSN of a server, and returns at
// once. The environment passes its root administrator, EMAIL:KEY. Further arguments are
// arguments of the program.
func Launch(program, db, admin string, arguments ...string) (*Process, error) {
	p := &Process{address: make(chan string, 1), ended: make(chan struct{})}
	p.cmd = exec.Command(program, append([]string{"-addr", "127.0.0.1:0", "-db", db}, arguments...)...)
	p.cmd.Env = append(os.Environ(), "SHOPAPI_ADMIN="+admin)
	if strings.Contains(db, "://") {
		p.cmd.Dir = filepath.Dir(program) // over a server the program writes images to its current directory
	}
	p.cmd.Stderr = &p.stderr
	stdout, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stdout = write
	err = p.cmd.Start()
	if err = errors.Join(err, write.Close()); err != nil {
		return nil, errors.Join(err, stdout.Close())
	}
	go p.read(stdout)
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// read finds the address in the output of the process.
func (p *Process) read(stdout io.ReadCloser) {
	defer stdout.Close()
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if _, address, ok := strings.Cut(lines.Text(), "listens on http://"); ok {
			p.address <- strings.TrimSuffix(address, ". Try:")
		}
	}
}

// Address waits until the process serves, and returns its address.
func (p *Process) Address(ctx context.Context) (string, error) {
	select {
	case address := <-p.address:
		return address, nil
	case <-p.ended:
		return "", fmt.Errorf("examples/shop ended before it served: %w: %s", p.err, p.Stderr())
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Kill ends the process with SIGKILL, and waits until it has ended.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill() // an error means that it has ended
	<-p.ended
}

// Stop ends the process with SIGTERM, and after a while with SIGKILL. It returns an
// error unless the process shut down in order.
func (p *Process) Stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.Kill()
		return fmt.Errorf("examples/shop: %w", err)
	}
	select {
	case <-p.ended:
	case <-time.After(45 * time.Second):
		p.Kill()
	}
	if p.err != nil {
		return fmt.Errorf("examples/shop: %w: %s", p.err, p.Stderr())
	}
	return nil
}

// Stderr returns the end of the process's standard error.
func (p *Process) Stderr() string { return p.stderr.String() }

// RSS returns the memory of the process in RAM, in bytes; 0 if the system does not
// provide it.
func (p *Process) RSS() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// A tail keeps the end of the written text.
type tail struct {
	mu  sync.Mutex
	end []byte
}

const tailBytes = 4096

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, p...)
	if extra := len(t.end) - tailBytes; extra > 0 {
		t.end = append(t.end[:0], t.end[extra:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.end))
}
