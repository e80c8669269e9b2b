//go:build unix

package postgres_test

import (
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// A proxy sits between clients and a server, and injects faults.
type proxy struct {
	listener net.Listener
	socket   string        // of the server, or of the PgBouncer before it
	delay    time.Duration // of all that passes

	mu        sync.Mutex
	resumed   chan struct{} // closed while bytes are passed on
	responses chan struct{} // closed while responses are
	sessions  []net.Conn
}

func newProxy(t testing.TB, h pgtest.Host) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, socket: h.Socket(), resumed: make(chan struct{}), responses: make(chan struct{})}
	close(p.resumed)
	close(p.responses)
	t.Cleanup(func() {
		listener.Close()
		p.resume()
		p.cut()
	})
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	return p
}

// dsn names the server behind the proxy.
func (p *proxy) dsn() string {
	return fmt.Sprintf("host=127.0.0.1 port=%d user=postgres dbname=postgres sslmode=disable", p.port())
}

func (p *proxy) port() int { return p.listener.Addr().(*net.TCPAddr).Port }

func (p *proxy) serve(client net.Conn) {
	p.wait(&p.resumed)
	server, err := net.Dial("unix", p.socket)
	if err != nil {
		client.Close()
		return
	}
	p.mu.Lock()
	p.sessions = append(p.sessions, client, server)
	p.mu.Unlock()
	go p.pump(server, client, &p.resumed)
	p.pump(client, server, &p.responses)
}

func (p *proxy) pump(to, from net.Conn, until *chan struct{}) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		p.wait(until)
		time.Sleep(p.delay)
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (p *proxy) wait(until *chan struct{}) {
	p.mu.Lock()
	closed := *until
	p.mu.Unlock()
	<-closed
}

// hang has nothing pass any more, in either direction.
func (p *proxy) hang() {
	p.holdResponses()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resumed = make(chan struct{})
}

// holdResponses passes on what clients send, but no response.
func (p *proxy) holdResponses() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.responses = make(chan struct{})
}

// resume has everything pass again.
func (p *proxy) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, held := range []chan struct{}{p.resumed, p.responses} {
		select {
		case <-held:
		default:
			close(held)
		}
	}
}

// cut closes all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.sessions {
		c.Close()
	}
	p.sessions = nil
}
