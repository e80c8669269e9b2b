package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Media types of bodies.
const (
	jsonBody  = "application/json"
	linesBody = "application/x-ndjson"
	formBody  = "application/x-www-form-urlencoded"
)

// The limits of requests that do the work of many.
const (
	mostBatch  = 8      // MiB, Limits.BatchBody of the shop
	maxMembers = 1000   // Limits.Batch
	maxRows    = 10_000 // Limits.BatchRows
)

// inBulk sends requests that do the work of many: the dearest writes as forms and in batches,
// arrays of objects, and imports.
func (a *attack) inBulk(ctx context.Context) error {
	for _, s := range a.accepted.writes(a.top) {
		if err := a.asForm(ctx, s); err != nil {
			return err
		}
		for _, atomic := range []bool{true, false} {
			if err := a.inBatch(ctx, s, atomic); err != nil {
				return err
			}
		}
	}
	for _, o := range a.doc.operations() {
		if len(o.example) == 0 || !a.attacks(o.entity()) {
			continue
		}
		if code, ok := a.doc.matchOf(o); ok {
			if err := a.asArray(ctx, o, code); err != nil {
				return err
			}
		}
		if o.method == http.MethodPost && o.path == "/"+o.entity() {
			if err := a.asImport(ctx, o); err != nil {
				return err
			}
		}
	}
	return a.inFiles(ctx)
}

// writes returns the dearest requests with a body, each of another operation.
func (l list) writes(most int) (some []shot) {
	seen := map[string]bool{}
	for _, s := range l {
		if key := s.op.method + s.op.path; s.body != nil && !seen[key] && len(some) < most {
			seen[key] = true
			some = append(some, s)
		}
	}
	return some
}

// asForm sends the body of a request as a form.
func (a *attack) asForm(ctx context.Context, s shot) error {
	var body any
	if err := json.Unmarshal(s.body, &body); err != nil {
		return err
	}
	form := url.Values{}
	addForm(form, "", body)
	s.content, s.body, s.what = formBody, []byte(form.Encode()), "as a form: "+s.what
	if len(s.body) > maxBody {
		return nil // names of members are longer than in JSON
	}
	path, err := a.pathOf(ctx, &s)
	if err != nil {
		return err
	}
	s.path = path
	if err := a.measure(ctx, &s); err != nil {
		return err
	}
	a.keep(&s)
	return nil
}

// addForm adds a JSON value to a form: members and items have their place in brackets.
func addForm(form url.Values, name string, value any) {
	place := func(key string) string {
		if name == "" {
			return key
		}
		return name + "[" + key + "]"
	}
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			addForm(form, place(key), member)
		}
	case []any:
		for i, item := range v {
			addForm(form, place(fmt.Sprint(i)), item)
		}
	case nil:
	default:
		form.Set(name, fmt.Sprint(v))
	}
}

// inBatch sends a request as often as a batch admits.
func (a *attack) inBatch(ctx context.Context, s shot, atomic bool) error {
	path, err := a.pathOf(ctx, &s)
	if err != nil {
		return err
	}
	member := map[string]any{"method": s.op.method, "url": strings.TrimPrefix(path, "/"), "body": json.RawMessage(s.body), "refs": false}
	batch := &operation{method: http.MethodPost, path: "/batch", limit: a.maxBatch(), example: map[string]any{"atomic": atomic}}
	return a.grow(ctx, batch, s.who, "requests", form{fmt.Sprintf("(atomic: %v) of %s with %d", atomic, &s, s.n), func(n int) any {
		members := make([]any, n)
		for i := range members {
			members[i] = member
		}
		return members
	}, maxMembers})
}

// maxBatch is the size of the largest batch, in bytes.
func (c *campaign) maxBatch() int { return c.batch<<20 - 1 }

// asArray sends an array of the example, each with a code of its own.
func (a *attack) asArray(ctx context.Context, o *operation, code string) error {
	query := url.Values{"match": {code}, "missing": {"create"}}
	array := &operation{method: http.MethodPut, path: "/" + o.entity() + "?" + query.Encode(), limit: a.maxBatch()}
	return a.grow(ctx, array, a.who(o), "", form{"[]", func(n int) any { return rows(o.example, code, n) }, maxRows})
}

// asImport imports the example as often as -import admits, and waits for the job.
func (a *attack) asImport(ctx context.Context, o *operation) error {
	size := func(n int) int { return len(lines(rows(o.example, "", n))) }
	s := shot{op: &operation{method: http.MethodPost, path: "/jobs"}, path: "/jobs?import=" + o.entity(), content: linesBody, who: a.who(o)}
	s.n = largest(size, a.imported<<20)
	s.what, s.body = "import of "+o.entity(), lines(rows(o.example, "", s.n))
	if err := a.measure(ctx, &s); err != nil {
		return err
	}
	a.keep(&s)
	return nil
}

// rows returns objects that differ in their texts, and in a code if they have one.
func rows(example map[string]any, code string, n int) []any {
	list := make([]any, n)
	for i := range list {
		row, _ := distinct(example, i).(map[string]any)
		if code != "" {
			row[code] = fmt.Sprintf("attack-%d", i)
		}
		list[i] = row
	}
	return list
}

// lines returns rows as JSON lines.
func lines(rows []any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	for _, row := range rows {
		if encoder.Encode(row) != nil {
			return nil
		}
	}
	return b.Bytes()
}

// pathOf returns the address of a request, with a new object if the one before was deleted.
func (a *attack) pathOf(ctx context.Context, s *shot) (string, error) {
	if !s.fresh {
		return s.path, nil
	}
	id, _, err := a.object(ctx, s.op)
	return s.op.at(url.PathEscape(id)), err
}

// ended waits until a job has ended, or for -job.
func (a *attack) ended(ctx context.Context, who login, answer []byte) error {
	var job struct {
		ID     json.Number `json:"job_id"`
		Status string      `json:"status"`
	}
	if err := json.Unmarshal(answer, &job); err != nil {
		return err
	}
	address := "/jobs/" + job.ID.String()
	for until := time.Now().Add(a.job); ; time.Sleep(20 * time.Millisecond) {
		r, err := a.send(ctx, who, http.MethodGet, address, nil)
		if err != nil {
			return err
		}
		job.Status = ""
		if err := json.Unmarshal(r.body, &job); err != nil || job.Status != "waiting" && job.Status != "running" {
			return err
		}
		if time.Now().After(until) {
			_, err := a.send(ctx, who, http.MethodDelete, address, nil)
			return err
		}
	}
}
