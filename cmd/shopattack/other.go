package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"time"
)

// The environment variable that makes this program the other user. The other user is a process
// of its own: in the process that attacks, its requests would wait for the attacker's requests.
const otherVariable = "SHOPATTACK_OTHER"

// An other is a user that reads and changes a category while another one attacks the shop.
type other struct {
	Address  string
	User     login
	Category string
	Time     time.Duration              // how long it sends requests, one at a time
	Took     map[string][]time.Duration // by kind
}

// kinds are the requests of the other user.
var kinds = []string{"GET", "list", "write"}

// goals are how long the requests of the other user may take, on a machine that does nothing
// else. Beside an atomic batch a write may take as long as Limits.BatchTime.
var goals = map[string]time.Duration{"GET": 50 * time.Millisecond, "list": 100 * time.Millisecond, "write": 150 * time.Millisecond}

// p99 returns the time that 99 of 100 requests take at most.
func (o *other) p99(kind string) time.Duration {
	list := slices.Sorted(slices.Values(o.Took[kind]))
	if len(list) == 0 {
		return 0
	}
	return list[len(list)*99/100]
}

// measure has a process of its own send the requests.
func (o *other) measure(ctx context.Context) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	task, err := json.Marshal(o)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append(os.Environ(), otherVariable+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(task), &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the other user: %w", err)
	}
	return json.Unmarshal(out.Bytes(), o)
}

// serveOther is the process of the other user: it reads an other, and writes it with the times.
func serveOther(ctx context.Context, in io.Reader, out io.Writer) error {
	var o other
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return err
	}
	if err := o.send(ctx); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(&o)
}

func (o *other) send(ctx context.Context) error {
	p := &process{hello: hello{Address: o.Address}, http: http.DefaultClient}
	o.Took = map[string][]time.Duration{}
	end := time.Now().Add(o.Time)
	for i := 0; time.Now().Before(end); i++ {
		for n, request := range [...][3]string{ // of kinds
			{"GET", fmt.Sprintf("/categories/%s?x=%d", o.Category, i), ""},
			{"GET", fmt.Sprintf("/categories?items_per_page=10&x=%d", i), ""},
			{"PUT", "/categories/" + o.Category, fmt.Sprintf(`{"description": "%d"}`, time.Now().UnixNano())},
		} {
			r, err := p.send(ctx, o.User, request[0], request[1], []byte(request[2]))
			if err != nil {
				return err
			}
			if r.status != http.StatusOK {
				return fmt.Errorf("%s is answered %d %.200s", kinds[n], r.status, r.body)
			}
			o.Took[kinds[n]] = append(o.Took[kinds[n]], r.took)
		}
	}
	return nil
}
