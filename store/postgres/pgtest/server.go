//go:build unix

package pgtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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
	dir   string // of the data, the socket and the log
	port  int
	bin   string
	owner *syscall.Credential // nil for the user of this process

	process *exec.Cmd
	alive   io.Closer     // the server is stopped when it is closed, also by the end of this process
	ended   chan struct{} // closed when the server has ended
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
		s.alive.Close()
		<-s.ended
		os.RemoveAll(s.dir)
	})
	return s
}

// startShared starts the server that the tests of this process share.
func startShared() (*Server, error) { return start(Options{}) }

func start(o Options) (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, port: 5432, ended: make(chan struct{})}
	if s.owner, err = owner(); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "pgtest"); err != nil {
		return nil, err
	}
	if s.owner != nil {
		if err := os.Chown(s.dir, int(s.owner.Uid), int(s.owner.Gid)); err != nil {
			return nil, err
		}
	}
	if p := o.StandbyOf; p != nil {
		err = s.run("pg_basebackup", "-h", p.dir, "-p", strconv.Itoa(p.port), "-U", "postgres", "-D", s.data(), "-R", "-X", "stream", "-c", "fast")
	} else {
		err = s.run("initdb", "-D", s.data(), "-U", "postgres", "-E", "UTF8", "--locale=C", "-A", "trust", "--no-sync")
	}
	if err == nil {
		err = s.serve(o.Settings)
	}
	if err != nil {
		os.RemoveAll(s.dir)
		return nil, err
	}
	return s, nil
}

// settings are those of every server. Data need not survive the machine.
var settings = []string{"fsync=off", "full_page_writes=off", "listen_addresses=", "max_connections=200", "shared_buffers=64MB", "log_min_messages=warning", "wal_level=replica"}

// serve starts the server and waits until it accepts connections.
func (s *Server) serve(more []string) error {
	args := []string{"-D", s.data(), "-k", s.dir, "-p", strconv.Itoa(s.port)}
	for _, setting := range append(slices.Clone(settings), more...) {
		args = append(args, "-c", setting)
	}
	// The shell stops the server when it can no longer read from this process.
	const script = `"$@" & server=$!
		exec 3<&0; (read _ <&3; kill -INT $server 2>/dev/null) & reader=$!
		wait $server; kill $reader 2>/dev/null; rm -rf "$dir"`
	s.process = exec.Command("sh", append([]string{"-c", script, "sh", filepath.Join(s.bin, "postgres")}, args...)...)
	s.process.Env = append(os.Environ(), "dir="+s.dir)
	s.process.Dir = s.dir
	s.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: s.owner}
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	s.process.Stdout, s.process.Stderr = log, log
	if s.alive, err = s.process.StdinPipe(); err != nil {
		return err
	}
	if err := s.process.Start(); err != nil {
		return err
	}
	go func() {
		_ = s.process.Wait()
		close(s.ended)
	}()
	return s.ready()
}

// ready waits until the server takes connections.
func (s *Server) ready() error {
	for range 600 {
		if s.run("pg_isready", "-q", "-h", s.dir, "-p", strconv.Itoa(s.port)) == nil {
			return nil
		}
		select {
		case <-s.ended:
			return errors.New("the server ended at its start")
		case <-time.After(50 * time.Millisecond):
		}
	}
	log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	return fmt.Errorf("the server does not accept connections: %s", log)
}

// DSN names the database of the server.
func (s *Server) DSN() string { return s.DSNWith() }

// DSNWith is DSN with more parameters, such as "connect_timeout=1".
func (s *Server) DSNWith(parameters ...string) string { return dsn([]*Server{s}, parameters) }

func dsn(servers []*Server, parameters []string) string {
	var hosts, ports []string
	for _, s := range servers {
		hosts, ports = append(hosts, s.dir), append(ports, strconv.Itoa(s.port))
	}
	all := append([]string{"host=" + strings.Join(hosts, ","), "port=" + strings.Join(ports, ","), "sslmode=disable"}, parameters...)
	return "postgres://postgres@/postgres?" + strings.Join(all, "&")
}

// PairDSN names a primary and its standby: the one that can be written to serves.
func PairDSN(primary, standby *Server, parameters ...string) string {
	return dsn([]*Server{primary, standby}, append([]string{"target_session_attrs=read-write"}, parameters...))
}

// Socket is the address of the server's socket.
func (s *Server) Socket() string { return filepath.Join(s.dir, ".s.PGSQL."+strconv.Itoa(s.port)) }

// Signal sends a signal to all processes of the server: SIGKILL for a crash,
// SIGSTOP and SIGCONT for a server that hangs.
func (s *Server) Signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	postmaster, err := strconv.Atoi(first)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	_ = syscall.Kill(postmaster, syscall.SIGSTOP) // lest it start more, or notice that one ended
	for _, pid := range children(t, postmaster) {
		_ = syscall.Kill(pid, signal) // it may have ended
	}
	_ = syscall.Kill(postmaster, signal)
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
