//go:build unix

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A Patroni is two servers that it watches over, in its synchronous mode, and the
// etcd in which they agree about the primary. All listen on the loopback alone.
type Patroni struct {
	etcd  *process
	nodes []*Node
}

// A Node is a server and the Patroni that runs it.
type Node struct {
	address
	name    string
	rest    string // the address of Patroni's own API
	program program
	process *process
}

// patroniConfig is the configuration of Patroni. The limits are the lowest that it
// accepts: a lost primary is replaced when its lease of 20 seconds ends.
const patroniConfig = `
scope: shop
name: %[1]s
restapi: {listen: %[2]s, connect_address: %[2]s}
etcd3: {host: %[3]s}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 2
    retry_timeout: 3
    synchronous_mode: true
    postgresql: {use_pg_rewind: true}
  initdb: [{encoding: UTF8}, {locale: C}, data-checksums]
postgresql:
  listen: 127.0.0.1:%[4]d
  connect_address: 127.0.0.1:%[4]d
  data_dir: %[5]s
  bin_dir: %[6]s
  pgpass: %[7]s/pgpass
  parameters: {unix_socket_directories: %[7]s, max_connections: 100, shared_buffers: 64MB}
  pg_hba:
  - local all all trust
  - host all all 127.0.0.1/32 trust
  - host replication all 127.0.0.1/32 trust
  authentication:
    superuser: {username: postgres, password: none}
    replication: {username: replicator, password: none}
    rewind: {username: rewinder, password: none}
`

// StartPatroni starts both servers and returns when one follows the other. They are
// stopped when the test ends. It takes the programs patroni and etcd.
func StartPatroni(t testing.TB) *Patroni {
	t.Helper()
	p := &Patroni{}
	t.Cleanup(func() { p.stop(t) })
	if err := p.start(); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	p.AwaitStandby(t)
	return p
}

func (p *Patroni) start() error {
	bin, err := binaries()
	if err != nil {
		return err
	}
	patroni, err := exec.LookPath("patroni")
	if err != nil {
		return err
	}
	etcd, err := exec.LookPath("etcd")
	if err != nil {
		return err
	}
	owner, err := owner()
	if err != nil {
		return err
	}
	ports, err := freePorts(6)
	if err != nil {
		return err
	}
	client, peer := fmt.Sprintf("127.0.0.1:%d", ports[0]), fmt.Sprintf("http://127.0.0.1:%d", ports[1])
	dir, err := tempDir(owner)
	if err != nil {
		return err
	}
	p.etcd, err = program{name: "etcd", dir: dir, owner: owner, stop: "TERM", args: []string{etcd, "--name", "default",
		"--data-dir", filepath.Join(dir, "data"), "--listen-client-urls", "http://" + client, "--advertise-client-urls", "http://" + client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default=" + peer}}.start()
	if err != nil {
		return err
	}
	for i := range 2 {
		n := &Node{name: fmt.Sprintf("node%d", i), address: address{"127.0.0.1", ports[2+2*i]}, rest: fmt.Sprintf("127.0.0.1:%d", ports[3+2*i])}
		dir, err := tempDir(owner)
		if err != nil {
			return err
		}
		config := filepath.Join(dir, "patroni.yml")
		n.program = program{name: "patroni", dir: dir, owner: owner, stop: "TERM", args: []string{patroni, config}}
		text := fmt.Sprintf(patroniConfig, n.name, n.rest, client, n.port, n.data(), bin, dir)
		if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
			return err
		}
		if n.process, err = n.program.start(); err != nil {
			return err
		}
		p.nodes = append(p.nodes, n)
	}
	return nil
}

// stop stops the servers and Patroni.
func (p *Patroni) stop(t testing.TB) {
	for _, n := range p.nodes {
		if t.Failed() {
			t.Logf("Patroni's log ends: %s", tail(n.process.log()))
		}
		n.process.stop()
		if _, err := os.Stat(n.pidFile()); err == nil { // Patroni was killed, or gave up
			signalAll(t, pidIn(t, n.pidFile()), syscall.SIGKILL)
		}
		os.RemoveAll(n.program.dir)
	}
	if p.etcd != nil {
		p.etcd.stop()
		os.RemoveAll(p.etcd.dir)
	}
}

func tail(text string) string { return text[max(0, len(text)-4000):] }

// Nodes returns both.
func (p *Patroni) Nodes() []*Node { return p.nodes }

// AwaitStandby waits until what the primary commits is on the other server too.
func (p *Patroni) AwaitStandby(t testing.TB) {
	t.Helper()
	for range 1200 {
		if p.find("primary") != nil && p.find("synchronous") != nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("pgtest: Patroni has no primary with a synchronous standby")
}

// find returns the node whose Patroni says that it has the role, nil when there is
// none.
func (p *Patroni) find(role string) *Node {
	for _, n := range p.nodes {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+n.rest+"/"+role, nil)
		if err == nil {
			var resp *http.Response
			if resp, err = http.DefaultClient.Do(req); err == nil {
				resp.Body.Close()
			}
			if err == nil && resp.StatusCode != http.StatusOK {
				err = errors.New(resp.Status)
			}
		}
		cancel()
		if err == nil {
			return n
		}
	}
	return nil
}

// KillPrimary kills the primary and the Patroni that runs it.
func (p *Patroni) KillPrimary(t testing.TB) *Node {
	t.Helper()
	n := p.find("primary")
	if n == nil {
		t.Fatal("pgtest: Patroni has no primary")
	}
	n.process.signal(t, syscall.SIGKILL)
	signalAll(t, pidIn(t, n.pidFile()), syscall.SIGKILL)
	<-n.process.ended
	return n
}

// Switchover makes the standby the primary, and the primary the standby, as before
// work on its machine.
func (p *Patroni) Switchover(t testing.TB) {
	t.Helper()
	from, to := p.find("primary"), p.find("synchronous")
	if from == nil || to == nil {
		t.Fatal("pgtest: Patroni has no primary with a synchronous standby")
	}
	order := fmt.Sprintf(`{"leader": %q, "candidate": %q}`, from.name, to.name)
	resp, err := http.Post("http://"+from.rest+"/switchover", "application/json", strings.NewReader(order))
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	defer resp.Body.Close()
	if answer, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
		t.Fatalf("pgtest: switchover: %s: %s", resp.Status, answer)
	}
}

// Restart starts the Patroni of a node that was killed.
func (n *Node) Restart(t testing.TB) {
	t.Helper()
	var err error
	if n.process, err = n.program.start(); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
}

func (n *Node) data() string    { return filepath.Join(n.program.dir, "data") }
func (n *Node) pidFile() string { return filepath.Join(n.data(), "postmaster.pid") }

// freePorts returns ports that nothing listens on.
func freePorts(count int) (ports []int, err error) {
	for range count {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // after all are chosen, so that they differ
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
