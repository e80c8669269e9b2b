package shop_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/sqlite"
)

// mirroredDatabase is the environment variable with the database of the shop that the test binary
// serves as another process, until it is killed.
const mirroredDatabase = "SHOPAPI_TEST_MIRRORED"

// mirroredOptions are the options of each process that serves a mirrored shop.
func mirroredOptions(edition shopapi.Edition) *shop.Options {
	return &shop.Options{
		Options: shopapi.Options{Edition: edition}, Changes: changes.Options{Mode: changes.On}, Batch: true,
	}
}

// openDatabase opens the store of a DSN, or of the path of a file.
func openDatabase(ctx context.Context, database string) (store.Store, error) {
	if strings.Contains(database, "host=") || strings.HasPrefix(database, "postgres") {
		return postgres.Open(ctx, database)
	}
	return sqlite.Open(ctx, database, nil)
}

// serveMirrored serves the shop of a database, prints the address, and ends with its standard
// input.
func serveMirrored(database string) int {
	ctx := context.Background()
	st, err := openDatabase(ctx, database)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s, err := shop.New(ctx, st, mirroredOptions(shopapi.MultiVendor))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Printf("http://%s\n", listener.Addr())
	go func() { fmt.Fprintln(os.Stderr, http.Serve(listener, s)) }()
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// processes serve one shop. As an [http.Handler] they pass requests on to any of them.
type processes struct {
	t        *testing.T
	database string
	list     [2]*process
	unsent   atomic.Int64 // changes without an answer, because a process was killed
}

type process struct {
	mu      sync.Mutex
	cmd     *exec.Cmd
	in      io.Closer
	address atomic.Pointer[string]
}

func startProcesses(t *testing.T, database string) *processes {
	p := &processes{t: t, database: database}
	for i := range p.list {
		p.list[i] = &process{}
		p.list[i].address.Store(new(string))
		p.start(p.list[i])
	}
	t.Cleanup(func() {
		for _, one := range p.list {
			one.kill()
		}
	})
	return p
}

// start starts a process; it tries again where the database is away.
func (p *processes) start(one *process) {
	for until := time.Now().Add(time.Minute); time.Now().Before(until); {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), mirroredDatabase+"="+p.database)
		var said bytes.Buffer
		cmd.Stderr = &said
		in, err := cmd.StdinPipe()
		if err != nil {
			p.t.Error(err)
			return
		}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			p.t.Error(err)
			return
		}
		one.mu.Lock()
		one.cmd, one.in = cmd, in
		one.mu.Unlock()
		line, err := bufio.NewReader(out).ReadString('\n')
		if err == nil {
			address := strings.TrimSpace(line)
			one.address.Store(&address)
			return
		}
		one.kill()
		if p.t.Failed() {
			return
		}
	}
	p.t.Error("a process does not start")
}

// kill ends a process with SIGKILL.
func (one *process) kill() {
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.cmd == nil {
		return
	}
	_ = one.cmd.Process.Kill()
	_ = one.cmd.Wait()
	_ = one.in.Close()
	one.cmd = nil
}

// restart kills a process and starts it again.
func (p *processes) restart(i int) {
	p.list[i].kill()
	p.start(p.list[i])
}

// address is that of any process, which may be killed.
func (p *processes) address() string { return *p.list[rand.IntN(len(p.list))].address.Load() }

// ServeHTTP asks any process. A change is sent once, and answered 503 where the process does not
// answer; other requests are sent until a process answers.
func (p *processes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Error(err)
	}
	for until := time.Now().Add(2 * time.Minute); time.Now().Before(until) && r.Context().Err() == nil; time.Sleep(20 * time.Millisecond) {
		req, err := http.NewRequestWithContext(r.Context(), r.Method, p.address()+r.URL.String(), bytes.NewReader(body))
		if err != nil {
			p.t.Error(err)
			return
		}
		req.Header = r.Header.Clone()
		done := p.send(w, req)
		if done {
			return
		}
		if r.Method != http.MethodGet {
			p.unsent.Add(1)
			break
		}
	}
	w.WriteHeader(http.StatusServiceUnavailable)
}

// send copies the answer of a process, and reports whether there was one. A 503, and a 429, are
// none.
func (p *processes) send(w http.ResponseWriter, req *http.Request) bool {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusTooManyRequests {
		return false
	}
	maps.Copy(w.Header(), resp.Header)
	w.WriteHeader(resp.StatusCode)
	_, _ = w.Write(answer)
	return true
}
