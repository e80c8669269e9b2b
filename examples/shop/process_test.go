//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/fasttest"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
	"github.com/shopapi/shopapi/users"
)

// asExample is the environment variable that makes the test binary run the command.
const asExample = "SHOPAPI_TEST_AS_EXAMPLE"

// ordersOfProcess is how many orders a part of the demo has in these processes, which start often.
const ordersOfProcess = 50

func TestMain(m *testing.M) {
	if os.Getenv(asExample) != "" {
		ordersPerPart = ordersOfProcess
		main()
		os.Exit(0)
	}
	fasttest.Waiting()
	os.Exit(m.Run())
}

// A process is the command in a process of its own.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	url    string
	stdout string // until it listened
	stderr bytes.Buffer
	rest   sync.WaitGroup
}

var listensOn = regexp.MustCompile(`listens on http://([0-9.:]+)\. Try:`)

// launch starts the command and returns at once; greeted waits until it serves.
func launch(t *testing.T, args ...string) (p *process, greeted func() error) {
	t.Helper()
	p = &process{t: t}
	p.cmd = exec.CommandContext(t.Context(), os.Args[0], append([]string{"-addr", "127.0.0.1:0"}, args...)...)
	p.cmd.Env = append(os.Environ(), asExample+"=1")
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return p, func() error {
		for lines := bufio.NewReader(out); p.url == ""; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return fmt.Errorf("the command ended: %v, %v\n%s", err, p.cmd.Wait(), p.stderr.String())
			}
			p.stdout += line
			if m := listensOn.FindStringSubmatch(line); m != nil {
				p.url = m[1]
			}
		}
		p.rest.Go(func() { _, _ = io.Copy(io.Discard, out) })
		return nil
	}
}

// stop ends the process with SIGTERM and checks that it shut down in order.
func (p *process) stop() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Error(err)
	}
	p.ended()
}

func (p *process) ended() {
	p.t.Helper()
	p.rest.Wait()
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("the command ended with %v\n%s", err, p.stderr.String())
	}
}

// TestExample_SeveralProcesses start at once on one empty database: all serve, one of
// them creates the administrator, and there is one demo.
func TestExample_SeveralProcesses(t *testing.T) {
	t.Parallel()
	for name, db := range map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return filepath.Join(t.TempDir(), "shop.db") },
		"postgres": func(t *testing.T) string { return pgtest.DSN(t) },
	} {
		t.Run(name, func(t *testing.T) { startTogether(t, "-db", db(t)) })
	}
}

func startTogether(t *testing.T, args ...string) {
	var wg sync.WaitGroup
	processes := make([]*process, 4)
	for i := range processes {
		p, greeted := launch(t, args...)
		processes[i] = p
		wg.Go(func() {
			if err := greeted(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	var all string
	for _, p := range processes {
		all += p.stdout
	}
	login := regexp.MustCompile(`administrator (\S+) was made.*\s+(\S+)\n`).FindStringSubmatch(all)
	if strings.Count(all, "API key is shown") != 1 || strings.Count(all, "demo shop was made") != 1 || login == nil {
		t.Fatalf("not one process alone made the administrator and ended the demo:\n%s", all)
	}
	for _, p := range processes {
		e := &example{t: t, url: "http://" + p.url}
		for address, want := range map[string]string{
			"/api/2.0/categories?items_per_page=1&page=1&parent_id=0": `"Tableware"`,
			"/api/2.0/products?items_per_page=1":                      `"total_items":"240"`,
			"/api/2.0/discussions?items_per_page=1":                   `"total_items":"500"`,
			"/api/2.0/call_requests?items_per_page=1":                 `"total_items":"40"`,
			"/api/2.0/orders?items_per_page=1":                        fmt.Sprintf(`"total_items":"%d"`, partsPerScale*ordersOfProcess),
			"/api/2.0/users?items_per_page=1":                         `"total_items":"484"`,
		} {
			if status, body := e.get(address, login[1], login[2]); status != 200 || !strings.Contains(body, want) {
				t.Errorf("%s answered %d, want %s in %.300s", address, status, want, body)
			}
		}
		p.stop()
	}
}

// TestExample_SIGTERM_FinishesRunningRequests: a request whose body is half sent when the
// signal comes is completed.
func TestExample_SIGTERM_FinishesRunningRequests(t *testing.T) {
	const email, key = "owner@example.com", "a-key-of-some-length"
	t.Setenv(adminVariable, email+":"+key)
	db := filepath.Join(t.TempDir(), "shop.db")
	p, greeted := launch(t, "-db", db, "-demo=false")
	if err := greeted(); err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", p.url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const body = `{"category": "Late"}`
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+p.url+"/api/2.0/categories", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(email, key)
	fmt.Fprintf(conn, "POST /api/2.0/categories HTTP/1.1\r\nHost: shop\r\nAuthorization: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		req.Header.Get("Authorization"), len(body))
	answers := bufio.NewReader(conn)
	// The request is in flight once the server asks for its body.
	if answer, err := http.ReadResponse(answers, nil); err != nil || answer.StatusCode != http.StatusContinue {
		t.Fatalf("the header got %v, %v", answer, err)
	}
	fmt.Fprint(conn, body[:5])
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for refused := false; !refused; { // it stopped listening, so it has seen the signal
		c, err := net.DialTimeout("tcp", p.url, time.Second)
		if refused = err != nil; !refused {
			c.Close()
		}
	}
	fmt.Fprint(conn, body[5:])
	answer, err := http.ReadResponse(answers, nil)
	if err != nil || answer.StatusCode != 201 {
		t.Fatalf("what was in flight got %v, %v\n%s", answer, err, p.stderr.String())
	}
	answer.Body.Close()
	p.ended()

	again, greeted := launch(t, "-db", db, "-demo=false")
	if err := greeted(); err != nil {
		t.Fatal(err)
	}
	if _, tree := (&example{t: t, url: "http://" + again.url}).get("/api/2.0/categories", email, key); !strings.Contains(tree, `"Late"`) {
		t.Errorf("the category is not there: %s", tree)
	}
	again.stop()
}

// TestExample_FilesArePrivate under a umask that would let everybody read them; an
// existing file keeps its mode, with a warning in the log.
func TestExample_FilesArePrivate(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	t.Setenv(adminVariable, "owner@example.com:a-key-of-some-length")
	dir := t.TempDir()
	old := filepath.Join(dir, "old.db")
	if err := os.WriteFile(old, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		db     string
		mode   os.FileMode
		warned bool
	}{{filepath.Join(dir, "new.db"), 0o600, false}, {old, 0o644, true}} {
		p, greeted := launch(t, "-db", c.db, "-demo=false")
		if err := greeted(); err != nil {
			t.Fatal(err)
		}
		for _, suffix := range []string{"", "-wal", "-shm"} {
			info, err := os.Stat(c.db + suffix)
			if err != nil || info.Mode().Perm() != c.mode {
				t.Errorf("%s: %v, %v, want %v", filepath.Base(c.db)+suffix, info, err, c.mode)
			}
		}
		p.stop()
		if warned := strings.Contains(p.stderr.String(), "chmod 600"); warned != c.warned {
			t.Errorf("%s: warned %v:\n%s", filepath.Base(c.db), warned, p.stderr.String())
		}
	}
}

// TestExample_SIGKILL_TheDemoGoesOn: the next start completes a demo whose first starts
// were killed.
func TestExample_SIGKILL_TheDemoGoesOn(t *testing.T) {
	const scale = 1
	db := filepath.Join(t.TempDir(), "shop.db")
	sh := newTestShop(t, db)
	if err := sh.Store.Migrate(t.Context(), demos.Schema()); err != nil {
		t.Fatal(err)
	}
	done := func() (done int64) {
		err := sh.Store.View(t.Context(), func(_ context.Context, tx store.Tx) error {
			d, err := demos.Get(tx, 1)
			done = d.Done
			if errors.Is(err, store.ErrNotFound) {
				err = nil
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	for range 3 {
		before := done()
		p, _ := launch(t, "-db", db, "-demo-scale", strconv.Itoa(scale))
		for done() == before {
			time.Sleep(time.Millisecond)
		}
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = p.cmd.Wait()
	}
	if n := done(); n >= 1+partsPerScale*scale {
		t.Logf("all %d parts were done before the last kill", n)
	}
	p, greeted := launch(t, "-db", db, "-demo-scale", strconv.Itoa(scale))
	if err := greeted(); err != nil {
		t.Fatal(err)
	}
	p.stop()
	whole := newTestShop(t, "memory")
	if _, _, err := users.EnsureRoot(t.Context(), whole.Store, "admin@example.com"); err != nil {
		t.Fatal(err)
	}
	if err := whole.Store.Migrate(t.Context(), demos.Schema()); err != nil {
		t.Fatal(err)
	}
	f := newFiller(t.Context(), whole)
	if err := f.fill(t.Context(), sizeOf(scale, ordersOfProcess), io.Discard); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(contents(t, whole), contents(t, sh)); diff != "" {
		t.Errorf("(-whole +continued):\n%s", diff)
	}
}
