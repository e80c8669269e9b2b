package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/shopapi/shopapi/cmd/internal/example"
	"github.com/shopapi/shopapi/store/postgres/pgtest"
)

// database returns the file or the URL of the shop, filled with the demo.
func (c *campaign) database(ctx context.Context, dir string) (db string, end func(), err error) {
	db, end = filepath.Join(dir, "shop.db"), func() {}
	if c.store == "postgres" {
		if db = c.dsn; db == "" {
			if db, end, err = pgtest.Launch(pgtest.Options{}); err != nil {
				return "", nil, err
			}
		}
	}
	if c.demo {
		if err := fill(ctx, dir, db); err != nil {
			end()
			return "", nil, err
		}
	}
	return db, end, nil
}

// fill has examples/shop fill the database.
func fill(ctx context.Context, dir, db string) error {
	program, err := example.Build(ctx, dir)
	if err != nil {
		return err
	}
	p, err := example.Launch(program, db, "demo@example.com:"+"demo-key-0123456789abcdef")
	if err != nil {
		return err
	}
	if _, err := p.Address(ctx); err != nil {
		p.Kill()
		return err
	}
	return p.Stop()
}

// A process is the shop.
type process struct {
	hello
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Reader
	empty int64 // the memory before the first request, in bytes
	http  *http.Client
}

func (c *campaign) startProcess(ctx context.Context, db string) (*process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, program)}
	defaults := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOGC=") || strings.HasPrefix(v, "GOMEMLIMIT=") })
	p.cmd.Env = append(defaults, serveVariable+"="+db, fmt.Sprintf("%s=%d", memoryVariable, c.memory))
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.lines = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if err := p.read(&p.hello); err != nil {
		p.stop()
		return nil, err
	}
	p.http = &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 2 * c.connections}}
	first, err := p.cost()
	p.empty = first.Peak
	return p, err
}

func (p *process) read(into any) error {
	line, err := p.lines.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the shop ended: %w", err)
	}
	return json.Unmarshal(line, into)
}

// cost returns what the shop used since the last call.
func (p *process) cost() (c cost, err error) {
	if _, err := io.WriteString(p.in, "\n"); err != nil {
		return c, err
	}
	return c, p.read(&c)
}

// stop ends the shop.
func (p *process) stop() {
	_ = p.in.Close()
	timer := time.AfterFunc(20*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	_ = p.cmd.Wait()
}

// A reply is a response with its whole body.
type reply struct {
	status int
	body   []byte
	took   time.Duration
}

// send sends a request of a user.
func (p *process) send(ctx context.Context, who login, method, path string, body []byte) (*reply, error) {
	return p.sendShot(ctx, &shot{op: &operation{method: method}, who: who, body: body}, path)
}

// sendShot sends a request to a path.
func (p *process) sendShot(ctx context.Context, s *shot, path string) (*reply, error) {
	req, err := http.NewRequestWithContext(ctx, s.op.method, "http://"+p.Address+"/api/2.0"+path, bytes.NewReader(s.body))
	if err != nil {
		return nil, err
	}
	req.SetBasicAuth(s.who.Email, s.who.Key)
	if len(s.body) > 0 {
		req.Header.Set("Content-Type", cmp.Or(s.content, jsonBody))
	}
	if s.coding != "" {
		req.Header.Set("Content-Encoding", s.coding)
	}
	began := time.Now()
	resp, err := p.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return &reply{resp.StatusCode, text, time.Since(began)}, err
}

func (p *process) document(ctx context.Context) (*document, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", "http://"+p.Address+"/openapi.json", http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := p.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	doc := &document{}
	return doc, json.NewDecoder(resp.Body).Decode(doc)
}
