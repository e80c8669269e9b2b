package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/postgres"
	"github.com/shopapi/shopapi/store/sqlite"
)

// otherFile and otherEdition are the environment variables that make this program another
// process of a shop: the file or DSN, and the name of its edition.
const (
	otherFile    = "SHOPDIFF_FILE"
	otherEdition = "SHOPDIFF_EDITION"
)

// A process is another process that changes the file. It carries out one request for each
// line, which is the request in JSON, and responds with a line.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// wireRequest is a request in JSON.
type wireRequest struct{ Email, Key, Method, Address, Body string }

// changeByProcess has the other process send a change.
func (e *episode) changeByProcess(ctx context.Context) error {
	if e.process == nil {
		p, err := startProcess(ctx, e.path, e.edition)
		if err != nil {
			return err
		}
		e.process = p
	}
	r, _ := e.write()
	return e.process.send(r)
}

func startProcess(ctx context.Context, path, edition string) (*process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, program)}
	p.cmd.Env = append(os.Environ(), otherFile+"="+path, otherEdition+"="+edition)
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.cmd.Start()
}

func (p *process) send(r request) error {
	line, err := json.Marshal(wireRequest{r.email, r.key, r.method, r.address, r.body})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(p.in, "%s\n", line); err != nil {
		return err
	}
	said, err := p.out.ReadString('\n')
	if err == nil && said != "done\n" {
		err = fmt.Errorf("the other process: %s", said)
	}
	return err
}

// end ends the process, nil for none.
func (p *process) end() error {
	if p == nil {
		return nil
	}
	return errors.Join(p.in.Close(), p.cmd.Wait())
}

// otherProcess is the main function of the other process.
func otherProcess(path string, in io.Reader, out, errs io.Writer) int {
	ctx := context.Background()
	var st store.Store
	var err error
	if strings.HasPrefix(path, "postgres:") {
		st, err = postgres.Open(ctx, path)
	} else {
		st, err = sqlite.Open(ctx, path, nil)
	}
	if err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	h, err := open(ctx, st, editions[os.Getenv(otherEdition)], &clock{}, true)
	if err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	for lines := json.NewDecoder(in); ; {
		var r wireRequest
		if err := lines.Decode(&r); err != nil {
			break
		}
		w := h.send(ctx, request{login: login{r.Email, r.Key}, method: r.Method, address: r.Address, body: r.Body})
		if w.Code >= 500 {
			fmt.Fprintf(out, "%s %s: %d %q\n", r.Method, r.Address, w.Code, w.Body)
			continue
		}
		fmt.Fprintln(out, "done")
	}
	if err := h.close(); err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	return 0
}
