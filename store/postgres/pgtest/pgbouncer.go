//go:build unix

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// A PgBouncer pools the connections of a server by transactions: each may run on
// another session of the server than the one before. It has fewer sessions than
// pools of clients have connections, and takes them in turn.
type PgBouncer struct {
	address
	program  string
	settings []string
	server   address
	owner    *syscall.Credential // nil for the user of this process
	process  *process
}

// bouncerPort is part of the name of the socket.
const bouncerPort = 6432

// bouncerSettings are the settings of every PgBouncer. Values other than the default
// reveal faults sooner.
const bouncerSettings = `
listen_addr =
listen_port = %d
unix_socket_dir = %s
auth_type = trust
auth_file = %s
pool_mode = transaction
admin_users = postgres
default_pool_size = 8
server_round_robin = 1
server_login_retry = 1
query_wait_timeout = 2
max_client_conn = 500
`

// StartPgBouncer starts a PgBouncer before a server. It is stopped when the test
// ends. Where there is none on the machine the test is skipped and says so; with
// SHOPAPI_REQUIRE_PGBOUNCER=1 it fails instead. The settings are lines of its own
// file, such as "default_pool_size = 2"; the last one with a name counts.
func StartPgBouncer(t testing.TB, server Host, settings ...string) *PgBouncer {
	t.Helper()
	b, err := startBouncer(server, settings...)
	if err != nil {
		noBouncer(t, err)
	}
	t.Cleanup(func() {
		b.process.stop()
		os.RemoveAll(b.dir)
	})
	return b
}

// PooledDSN returns the DSN of an empty schema behind a PgBouncer, which is dropped
// when the test ends. PgBouncer passes no search_path on: it is that of the role.
func PooledDSN(t testing.TB) string {
	t.Helper()
	b, err := sharedBouncer()
	if err != nil {
		if errors.Is(err, errNoServer) {
			unavailable(t, err)
		}
		noBouncer(t, err)
	}
	role := roleName(roles.Add(1))
	direct := b.server.DSN()
	if err := runSQL(direct, fmt.Sprintf("CREATE ROLE %[1]s LOGIN SUPERUSER; CREATE SCHEMA %[1]s; ALTER ROLE %[1]s SET search_path = %[1]s", role)); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		if err := runSQL(direct, fmt.Sprintf("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '%[1]s'; DROP SCHEMA %[1]s CASCADE", role)); err != nil {
			t.Logf("pgtest: %v", err)
		}
	})
	return strings.Replace(b.DSN(), "postgres@", role+"@", 1)
}

// maxRoles is how many tests of a process may have one.
const maxRoles = 1000

var roles atomic.Int64

func roleName(n int64) string { return fmt.Sprintf("pooled_%d", n) }

// sharedBouncer is before a server of its own, where it is superuser.
var sharedBouncer = sync.OnceValues(func() (*PgBouncer, error) {
	if _, err := bouncerProgram(); err != nil {
		return nil, err
	}
	s, err := start(Options{})
	if err != nil {
		return nil, err
	}
	if err := runSQL(s.DSN(), "CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public"); err != nil {
		return nil, err
	}
	return startBouncer(s)
})

func startBouncer(server Host, settings ...string) (*PgBouncer, error) {
	program, err := bouncerProgram()
	if err != nil {
		return nil, err
	}
	b := &PgBouncer{program: program, settings: settings, server: server.at(), address: address{port: bouncerPort}}
	if b.owner, err = owner(); err != nil {
		return nil, err
	}
	if b.dir, err = tempDir(b.owner); err != nil {
		return nil, err
	}
	if err = errors.Join(b.writeUsers(), b.writeConfig()); err == nil {
		err = b.start()
	}
	if err != nil {
		os.RemoveAll(b.dir)
		return nil, err
	}
	return b, nil
}

func (b *PgBouncer) users() string  { return filepath.Join(b.dir, "users.txt") }
func (b *PgBouncer) config() string { return filepath.Join(b.dir, "pgbouncer.ini") }

func (b *PgBouncer) writeUsers() error {
	list := []byte("\"postgres\" \"\"\n")
	for n := range int64(maxRoles) {
		list = fmt.Appendf(list, "%q \"\"\n", roleName(n+1))
	}
	return os.WriteFile(b.users(), list, 0o644)
}

func (b *PgBouncer) writeConfig() error {
	text := fmt.Sprintf("[databases]\n* = host=%s port=%d\n[pgbouncer]\n"+bouncerSettings, b.server.dir, b.server.port, b.port, b.dir, b.users())
	return os.WriteFile(b.config(), []byte(text+strings.Join(b.settings, "\n")+"\n"), 0o644)
}

func (b *PgBouncer) start() (err error) {
	p := program{name: "pgbouncer", dir: b.dir, owner: b.owner, stop: "TERM", args: []string{b.program, b.config()}}
	if b.process, err = p.start(); err != nil {
		return err
	}
	for range 600 {
		if err = b.ping(); err == nil {
			return nil
		}
		select {
		case <-b.process.ended:
			return fmt.Errorf("PgBouncer ended at its start: %s", b.process.log())
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("PgBouncer does not serve: %w: %s", err, b.process.log())
}

// ping asks for a row through it.
func (b *PgBouncer) ping() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, b.DSN())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return conn.Ping(ctx)
}

// Kill kills it.
func (b *PgBouncer) Kill(t testing.TB) {
	t.Helper()
	b.process.signal(t, syscall.SIGKILL)
	<-b.process.ended
}

// Restart starts it again after [PgBouncer.Kill].
func (b *PgBouncer) Restart(t testing.TB) {
	t.Helper()
	if err := b.start(); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
}

// LeadTo has transactions that begin later run on another server.
func (b *PgBouncer) LeadTo(t testing.TB, server Host) {
	t.Helper()
	b.server = server.at()
	if err := b.writeConfig(); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	b.Admin(t, "RELOAD")
}

// Admin runs a command of its console, such as RECONNECT.
func (b *PgBouncer) Admin(t testing.TB, command string) {
	t.Helper()
	config, err := pgx.ParseConfig(dsn([]address{b.address}, "pgbouncer", nil))
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol // it knows no other
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), command); err != nil {
		t.Fatalf("pgtest: %s: %v", command, err)
	}
}

var errNoBouncer = errors.New("pgbouncer is not on this machine")

// bouncerProgram finds it in PATH, or where Debian installs it.
func bouncerProgram() (string, error) {
	for _, name := range []string{"pgbouncer", "/usr/sbin/pgbouncer"} {
		if found, err := exec.LookPath(name); err == nil {
			return found, nil
		}
	}
	return "", errNoBouncer
}

// noBouncer ends a test that has no PgBouncer.
func noBouncer(t testing.TB, err error) {
	t.Helper()
	if !errors.Is(err, errNoBouncer) || os.Getenv("SHOPAPI_REQUIRE_PGBOUNCER") != "" {
		t.Fatalf("pgtest: PgBouncer is required: %v", err)
	}
	t.Skipf("pgtest: %v; install it, as with apt-get install pgbouncer", err)
}
