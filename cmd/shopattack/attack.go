package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxBody is Limits.Body of the shop. A refused request has as many bytes.
const maxBody = 1<<20 - 1

// maxQuery is the size of the longest parameters of addresses.
const maxQuery = 60 << 10

// An attack is one run of the campaign.
type attack struct {
	*campaign
	*process
	doc   *document
	began time.Time

	noting                  sync.Mutex // guards the counters below, while requests are sent at once
	requests, fields, forms int
	admitted                int             // fields and forms of which a request was accepted
	accepted, refused       list            // the dearest requests
	uploads                 []shot          // of which each is sent at once
	jobs                    []string        // ids of imports that were sent at once
	aims                    map[string]bool // entities of which a request was accepted, or not
	slowest                 shot
	failures                []string
	peak                    int64
}

// A shot is a request and what it cost.
type shot struct {
	op      *operation
	what    string // the field and its form
	n       int
	body    []byte
	content string // media type of the body, JSON if it is empty
	coding  string // Content-Encoding of the body
	path    string
	who     login
	fresh   bool // the object of the address is created before, and deleted afterwards
	status  int
	took    time.Duration
	cost
	answer string
}

func dearest(a, b shot) int {
	return cmp.Or(-cmp.Compare(a.weight(), b.weight()), cmp.Compare(a.took, b.took))
}

// A list holds the dearest requests, the dearest first. Bodies are large: it drops the others.
type list []shot

const listed = 100

func (l *list) add(s shot) {
	i, _ := slices.BinarySearchFunc(*l, s, dearest)
	if *l = slices.Insert(*l, i, s); len(*l) > listed {
		*l = (*l)[:listed]
	}
}

// weight is the CPU time of the request, and 1 ms for each 2 ms of the writer and for each
// 2 MiB.
func (s *shot) weight() float64 {
	return s.CPU.Seconds()*1000 + s.Held.Seconds()*1000/2 + float64(s.Allocated)/(2<<20)
}

func (s *shot) String() string { return s.op.method + " " + s.op.path + " " + s.what }

// alone sends the requests one after another.
func (a *attack) alone(ctx context.Context) error {
	a.aims = map[string]bool{}
	for _, o := range a.doc.operations() {
		if !a.attacks(o.entity()) {
			continue
		}
		who := a.who(o)
		fmt.Fprintf(a.out, "%6.0f s %6d requests %6d accepted  %s %s\n", time.Since(a.began).Seconds(), a.requests, a.admitted, o.method, o.path)
		var err error
		if o.method == "GET" {
			err = a.reads(ctx, o, who)
		} else if o.body != nil {
			err = a.writes(ctx, o, who)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// attacks reports whether the campaign attacks an entity.
func (a *attack) attacks(entity string) bool {
	return len(a.entities) == 0 || slices.Contains(a.entities, entity)
}

// who returns the user with the privilege of an operation. Views are of the user who may change
// the same.
func (a *attack) who(o *operation) login {
	if who, ok := a.Users[o.Privilege]; ok {
		return who
	}
	who := a.Root
	for _, other := range a.doc.operations() {
		if other.entity() == o.entity() && a.Users[other.Privilege].Email != "" {
			who = a.Users[other.Privilege]
		}
	}
	return who
}

// writes grows each field of a body.
func (a *attack) writes(ctx context.Context, o *operation, who login) error {
	if _, known := a.aims[o.entity()]; !known {
		a.aims[o.entity()] = false
	}
	if allowed, err := a.allowed(ctx, o, who); err != nil {
		return err
	} else if !allowed {
		who = a.Root
	}
	for name, s := range a.doc.fieldsOf(o) {
		a.fields++
		for _, f := range a.doc.forms(s, o.example[name], 0) {
			a.forms++
			if err := a.grow(ctx, o, who, name, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// allowed reports whether the user may send the example. Some need more than the privileges of
// the entity.
func (a *attack) allowed(ctx context.Context, o *operation, who login) (bool, error) {
	s, err := a.try(ctx, o, who, "", form{"the example", nil, 0}, 0)
	return err != nil || s.status != 403, err
}

// fieldsOf iterates over the fields of a body by name.
func (d *document) fieldsOf(o *operation) func(func(string, *schema) bool) {
	return func(yield func(string, *schema) bool) {
		names := make([]string, 0, len(o.body.Properties))
		for name := range o.body.Properties {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if !yield(name, o.body.Properties[name]) {
				return
			}
		}
	}
}

// grow finds the largest request that is accepted: it begins with the largest body.
func (a *attack) grow(ctx context.Context, o *operation, who login, name string, f form) error {
	size := func(n int) int { return len(with(o.example, name, f.build(n))) }
	most := largest(size, o.most())
	sizes := []int{most}
	for n := most / 4; n > 0; n /= 4 {
		sizes = append(sizes, n)
	}
	if f.most > 0 && f.most < most {
		sizes = append(sizes, f.most)
	}
	slices.Sort(sizes)
	slices.Reverse(sizes)
	above := most
	for _, n := range slices.Compact(sizes) {
		s, err := a.try(ctx, o, who, name, f, n)
		if err != nil {
			return err
		}
		if n == most && s.status >= 400 {
			a.refused.add(*s)
		}
		if s.status < 300 {
			return a.refine(ctx, o, who, name, f, s, above)
		}
		above = n
	}
	return nil
}

// refine looks for a larger request between an accepted and a refused one.
func (a *attack) refine(ctx context.Context, o *operation, who login, name string, f form, best *shot, above int) error {
	for range 3 {
		n := (best.n + above) / 2
		if n <= best.n || best.n == f.most {
			break
		}
		s, err := a.try(ctx, o, who, name, f, n)
		if err != nil {
			return err
		}
		if s.status < 300 {
			best = s
		} else {
			above = n
		}
	}
	a.aims[o.entity()] = true
	a.admitted++
	a.accepted.add(*best)
	return nil
}

// try sends one request, with the example alone where the form builds nothing, to an object of its own where the entity has POST.
func (a *attack) try(ctx context.Context, o *operation, who login, name string, f form, n int) (*shot, error) {
	s := &shot{op: o, what: name + " " + f.name, n: n, path: o.path, who: who}
	if f.build == nil {
		s.body, _ = json.Marshal(o.example)
	} else {
		s.body = with(o.example, name, f.build(n))
	}
	id := ""
	if o.idName() != "" {
		var err error
		if id, s.fresh, err = a.object(ctx, o); err != nil {
			return nil, err
		}
		s.path = o.at(url.PathEscape(id))
	}
	if err := a.measure(ctx, s); err != nil {
		return nil, err
	}
	switch {
	case s.status == 201 && o.idName() == "":
		id = firstValue([]byte(s.answer))
	case !s.fresh:
		id = ""
	}
	if id == "" {
		return s, nil
	}
	read := *s
	read.op, read.what, read.body = &operation{method: "GET", path: "/" + o.entity() + "/{id}"}, "after "+s.String(), nil
	read.path = "/" + o.entity() + "/" + url.PathEscape(id)
	if s.status < 300 && a.doc.Paths["/"+o.entity()].Get != nil {
		if err := a.measure(ctx, &read); err != nil {
			return nil, err
		}
		switch {
		case read.status < 300:
			a.accepted.add(read)
		case read.status != 403 && read.status != 404 && read.status != 405:
			a.fail("%s with %d: the object cannot be read: %d %.200s", s, n, read.status, read.answer)
		}
	}
	_, err := a.send(ctx, a.Root, "DELETE", "/"+o.entity()+"/"+url.PathEscape(id), nil)
	return s, err
}

// measure sends a request and measures it.
func (a *attack) measure(ctx context.Context, s *shot) error {
	if _, err := a.cost(); err != nil {
		return err
	}
	r, err := a.sendShot(ctx, s, s.path)
	if err == nil && r.status == http.StatusAccepted {
		err = a.ended(ctx, s.who, r.body)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s, err)
	}
	a.requests++
	s.status, s.took, s.answer = r.status, r.took, string(r.body[:min(len(r.body), 1000)])
	if s.cost, err = a.process.cost(); err != nil {
		return fmt.Errorf("%s: %w", s, err)
	}
	a.note(s)
	return nil
}

func (a *attack) note(s *shot) {
	if s.took > a.slowest.took {
		a.slowest = *s
	}
	a.peak = max(a.peak, s.Peak)
	if s.status == 500 {
		a.fail("%s with %d: 500 %s", s, s.n, s.answer)
	}
}

func (a *attack) fail(format string, args ...any) {
	a.failures = append(a.failures, fmt.Sprintf(format, args...))
}

// object returns the id of an object for a request: a new one where the entity has POST, else
// the first of the list.
func (a *attack) object(ctx context.Context, o *operation) (id string, fresh bool, err error) {
	list := "/" + o.entity()
	for _, other := range a.doc.operations() {
		if other.path != list || other.method != "POST" || other.example == nil {
			continue
		}
		body, err := json.Marshal(other.example)
		if err != nil {
			return "", false, err
		}
		r, err := a.send(ctx, a.Root, "POST", list, body)
		if err != nil {
			return "", false, err
		}
		if r.status == 201 {
			return firstValue(r.body), true, nil
		}
	}
	r, err := a.send(ctx, a.Root, "GET", list+"?items_per_page=1", nil)
	if err != nil {
		return "", false, err
	}
	var any any
	if json.Unmarshal(r.body, &any) != nil {
		return "1", false, nil
	}
	return cmp.Or(find(any, o.idName()), "1"), false, nil
}

// firstValue returns the value of the first member of an object.
func firstValue(body []byte) string {
	text := strings.TrimLeft(string(body), "{ \n")
	_, after, _ := strings.Cut(text, ":")
	value, _, _ := strings.Cut(after, ",")
	return strings.Trim(value, `"} `+"\n")
}

// find returns the first value of a member with the name.
func find(value any, name string) string {
	switch v := value.(type) {
	case map[string]any:
		if member, ok := v[name]; ok {
			return fmt.Sprint(member)
		}
		for _, member := range v {
			if found := find(member, name); found != "" {
				return found
			}
		}
	case []any:
		for _, item := range v {
			if found := find(item, name); found != "" {
				return found
			}
		}
	}
	return ""
}
