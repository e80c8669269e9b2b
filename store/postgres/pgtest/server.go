//go:build unix

package pgtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A Server is a PostgreSQL server of its own, for tests that break it.
type Server struct {
	address  // its directory holds the data and the log too
	bin      string
	settings []string            // of its own
	owner    *syscall.Credential // nil for the user of this process
	process  *process
}

// Options say what a server is to be.
type Options struct {
	Settings  []string // of postgresql.conf, such as "fsync=on"
	StandbyOf *Server  // replicates this one
}

// Start starts a server, which is stopped when the test ends.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	s, err := start(o)
	if err != nil {
		if errors.Is(err, errNoServer) {
			unavailable(t, err)
		}
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		s.process.stop()
		os.RemoveAll(s.dir)
	})
	return s
}

// Launch starts a server for a program other than a test, and returns its DSN and a
// function that stops it.
func Launch(o Options) (dsn string, stop func(), err error) {
	s, err := start(o)
	if err != nil {
		return "", nil, err
	}
	return s.DSN(), func() {
		s.process.stop()
		_ = os.RemoveAll(s.dir)
	}, nil
}

// LaunchReplicated is [Launch] of a primary and so many standbys of it.
func LaunchReplicated(standbys int) (dsn string, replicas []string, stop func(), err error) {
	var all []*Server
	stop = func() {
		for i := range all {
			s := all[len(all)-1-i]
			s.process.stop()
			_ = os.RemoveAll(s.dir)
		}
	}
	for i := range standbys + 1 {
		var o Options
		if i > 0 {
			o.StandbyOf = all[0]
		}
		s, err := start(o)
		if err != nil {
			stop()
			return "", nil, nil, err
		}
		if all = append(all, s); i > 0 {
			replicas = append(replicas, s.DSN())
		}
	}
	return all[0].DSN(), replicas, stop, nil
}

// startShared starts the server that the tests of this process share.
func startShared() (*Server, error) { return start(Options{}) }

func start(o Options) (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, settings: o.Settings, address: address{port: 5432}}
	if s.owner, err = owner(); err != nil {
		return nil, err
	}
	if s.dir, err = tempDir(s.owner); err != nil {
		return nil, err
	}
	if p := o.StandbyOf; p != nil {
		err = s.run("pg_basebackup", "-h", p.dir, "-p", strconv.Itoa(p.port), "-U", "postgres", "-D", s.data(), "-R", "-X", "stream", "-c", "fast")
	} else {
		err = s.createCluster()
	}
	if err == nil {
		err = s.serve()
	}
	if err != nil {
		os.RemoveAll(s.dir)
		return nil, err
	}
	return s, nil
}

// settings are the settings of every server. Data need not survive the machine.
var settings = []string{"fsync=off", "full_page_writes=off", "listen_addresses=", "max_connections=200", "shared_buffers=64MB", "log_min_messages=warning", "wal_level=replica", "max_prepared_transactions=10"}

// serve starts the server and waits until it accepts connections.
func (s *Server) serve() error {
	args := []string{"-D", s.data(), "-k", s.dir, "-p", strconv.Itoa(s.port)}
	for _, setting := range append(slices.Clone(settings), s.settings...) {
		args = append(args, "-c", setting)
	}
	program := program{name: "postgres", dir: s.dir, owner: s.owner, stop: "INT", args: append([]string{filepath.Join(s.bin, "postgres")}, args...)}
	var err error
	if s.process, err = program.start(); err != nil {
		return err
	}
	return s.ready()
}

// ready waits until the server takes connections.
func (s *Server) ready() error {
	for range 600 {
		if s.run("pg_isready", "-q", "-h", s.dir, "-p", strconv.Itoa(s.port)) == nil {
			return nil
		}
		select {
		case <-s.process.ended:
			return fmt.Errorf("the server ended at its start: %s", s.process.log())
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("the server does not accept connections: %s", s.process.log())
}

// Signal sends a signal to all processes of the server: SIGKILL for a crash,
// SIGSTOP and SIGCONT for a server that hangs.
func (s *Server) Signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	signalAll(t, pidIn(t, filepath.Join(s.data(), "postmaster.pid")), signal)
}

// RestartImmediately ends the server without a checkpoint, its sessions with it, and starts it
// again: it recovers what was committed.
func (s *Server) RestartImmediately(t testing.TB) {
	t.Helper()
	s.process.signal(t, syscall.SIGQUIT)
	<-s.process.ended
	if err := s.serve(); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
}

// ProcessorTime is the processor time of the server's processes, ended ones
// included. It is 0 where the system has no /proc.
func (s *Server) ProcessorTime(t testing.TB) time.Duration {
	t.Helper()
	parent := pidIn(t, filepath.Join(s.data(), "postmaster.pid"))
	ticks := 0
	for _, pid := range append(children(t, parent), parent) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // it has ended
		}
		_, after, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(after)
		used := fields[11:13]
		if pid == parent {
			used = fields[11:15] // with its children that have ended
		}
		for _, f := range used {
			n, _ := strconv.Atoi(f)
			ticks += n
		}
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// Promote makes a standby the primary.
func (s *Server) Promote(t testing.TB) {
	t.Helper()
	if err := s.run("pg_ctl", "promote", "-D", s.data(), "-w"); err != nil {
		t.Fatalf("pgtest: promote: %v", err)
	}
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// run runs one of PostgreSQL's programs.
func (s *Server) run(name string, args ...string) error {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.owner}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(out))
	}
	return nil
}

// binaries finds the directory of the server's programs: that of the postgres in
// PATH, or the newest of those where Debian and others install them.
func binaries() (string, error) {
	if os.Getenv(dsnVariable) == none {
		return "", errNoServer
	}
	if found, err := exec.LookPath("postgres"); err == nil {
		if found, err = filepath.EvalSymlinks(found); err == nil {
			return filepath.Dir(found), nil
		}
	}
	var found []string
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin"} {
		dirs, _ := filepath.Glob(pattern)
		for _, dir := range dirs {
			if _, err := os.Stat(filepath.Join(dir, "postgres")); err == nil {
				found = append(found, dir)
			}
		}
	}
	if len(found) == 0 {
		return "", errNoServer
	}
	return slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) }), nil
}

// version is the first number in a path.
func version(path string) int {
	digits := strings.FieldsFunc(path, func(r rune) bool { return r < '0' || r > '9' })
	if len(digits) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(digits[0])
	return n
}

// tempDir makes a directory that the owner may write to.
func tempDir(owner *syscall.Credential) (string, error) {
	dir, err := os.MkdirTemp("", "pgtest")
	if err == nil && owner != nil {
		err = os.Chown(dir, int(owner.Uid), int(owner.Gid))
	}
	return dir, err
}

// owner is the user that the server runs as: it refuses root.
func owner() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			continue
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			continue
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, fmt.Errorf("%w: root cannot run it, and there is no user postgres or nobody", errNoServer)
}
