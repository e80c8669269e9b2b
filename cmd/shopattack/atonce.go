package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// maxAtOnce is the number of requests of one kind, so that what they create fits the disk.
const maxAtOnce = 2000

// atOnce sends the dearest requests of each way to be dear at once.
func (a *attack) atOnce(ctx context.Context) error {
	id, err := a.category(ctx)
	if err != nil {
		return err
	}
	before, err := a.beside(ctx, id, func(ctx context.Context) { <-ctx.Done() })
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "\nAnother user meanwhile, p99 in ms; one user over %d connections for %v each\n%8s %8s %8s %6s %9s %9s  %s\n",
		a.connections, a.each, kinds[0], kinds[1], kinds[2], "MiB", "held ms", "requests", "of")
	a.print("nothing", before, before, cost{}, 0)
	for _, s := range append(a.chosen(), a.uploads...) {
		var sent atomic.Int64
		if err := a.compare(ctx, id, before, fmt.Sprintf("%s, %d: %d", &s, s.n, s.status), &sent, func(ctx context.Context) { a.flood(ctx, &s, &sent) }); err != nil {
			return err
		}
	}
	for _, held := range []struct {
		name string
		hold func(context.Context, *atomic.Int64)
	}{
		{"300 bodies without their last byte", a.withoutEnd},
		{"300 images without their last byte", a.imagesWithoutEnd},
		{"300 long lists that nobody reads", a.unread},
	} {
		var sent atomic.Int64
		if err := a.compare(ctx, id, before, held.name, &sent, func(ctx context.Context) { held.hold(ctx, &sent) }); err != nil {
			return err
		}
	}
	return nil
}

// compare runs an attack beside the other user, and prints what it costs.
func (a *attack) compare(ctx context.Context, id string, before *other, name string, sent *atomic.Int64, run func(context.Context)) error {
	if _, err := a.cost(); err != nil {
		return err
	}
	during, err := a.beside(ctx, id, run)
	if err != nil {
		return err
	}
	c, err := a.process.cost()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	a.peak = max(a.peak, c.Peak)
	a.print(name, before, during, c, sent.Load())
	return nil
}

func (a *attack) print(name string, before, during *other, c cost, sent int64) {
	var columns strings.Builder
	beyond := ""
	for _, kind := range kinds {
		if during.p99(kind) > goals[kind] {
			beyond += " " + kind
		}
		ratio := during.p99(kind).Seconds() / max(1e-9, before.p99(kind).Seconds())
		fmt.Fprintf(&columns, "%4.0f %3.0fx ", milliseconds(during.p99(kind)), ratio)
	}
	if beyond != "" {
		name += "; beyond the goal:" + beyond
	}
	fmt.Fprintf(a.out, "%s %5d %9.1f %9d  %s\n", columns.String(), c.Peak>>20, milliseconds(c.Held), sent, name)
}

// chosen returns the dearest requests, each of another field.
func (a *attack) chosen() (some []shot) {
	for _, from := range []list{a.accepted, a.refused} {
		seen := map[string]bool{}
		for _, s := range from {
			field, _, _ := strings.Cut(s.what, " ")
			if key := s.op.method + s.op.path + field; !seen[key] && len(seen) < a.top && s.op.method+field != "GETafter" {
				seen[key] = true
				some = append(some, s)
			}
		}
	}
	return some
}

// flood sends a request over all connections until ctx ends.
func (a *attack) flood(ctx context.Context, s *shot, sent *atomic.Int64) {
	path, err := a.pathOf(ctx, s)
	if err != nil {
		return
	}
	var wg sync.WaitGroup
	for range a.connections {
		wg.Go(func() {
			for ctx.Err() == nil && sent.Add(1) <= maxAtOnce {
				r, err := a.sendShot(context.WithoutCancel(ctx), s, path)
				a.noteAtOnce(s, r, err)
			}
			<-ctx.Done()
		})
	}
	wg.Wait()
	a.cancelJobs(context.WithoutCancel(ctx), s.who)
}

// noteAtOnce notes the reply to one of several requests that are sent at once.
func (a *attack) noteAtOnce(s *shot, r *reply, err error) {
	a.noting.Lock()
	defer a.noting.Unlock()
	if err != nil {
		a.fail("%s at once: %v", s, err)
		return
	}
	a.requests++
	if r.status == http.StatusAccepted {
		a.jobs = append(a.jobs, firstValue(r.body))
	}
	now := *s
	now.status, now.took, now.answer, now.cost = r.status, r.took, string(r.body[:min(len(r.body), 1000)]), cost{}
	a.note(&now)
}

// beside measures the requests of another user while an attack runs.
func (a *attack) beside(ctx context.Context, id string, run func(context.Context)) (*other, error) {
	ctx, stop := context.WithTimeout(ctx, a.each)
	defer stop()
	o := &other{Address: a.Address, User: a.Other, Category: id, Time: a.each * 9 / 10}
	var wg sync.WaitGroup
	wg.Go(func() { run(ctx) })
	time.Sleep(a.each / 10)
	err := o.measure(context.WithoutCancel(ctx))
	stop()
	wg.Wait()
	return o, err
}

// category creates the category of the other user.
func (a *attack) category(ctx context.Context) (id string, err error) {
	r, err := a.send(ctx, a.Root, "POST", "/categories", []byte(`{"category": "Of another user"}`))
	if err != nil {
		return "", err
	}
	if r.status != 201 {
		return "", fmt.Errorf("POST of a category is answered %d %s", r.status, r.body)
	}
	return firstValue(r.body), nil
}

const slowConnections = 300

// withoutEnd sends bodies that lack their last byte.
func (a *attack) withoutEnd(ctx context.Context, sent *atomic.Int64) {
	body, _ := json.Marshal(map[string]string{"description": strings.Repeat("x", maxBody-100)})
	a.hold(ctx, sent, "POST /api/2.0/categories", body[:len(body)-1], len(body))
}

// imagesWithoutEnd uploads images that lack their last byte.
func (a *attack) imagesWithoutEnd(ctx context.Context, sent *atomic.Int64) {
	image := imageOf(maxImage)
	a.hold(ctx, sent, "POST /api/2.0/images?entity=categories", image[:len(image)-1], len(image))
}

// unread asks for long lists and reads no response.
func (a *attack) unread(ctx context.Context, sent *atomic.Int64) {
	a.hold(ctx, sent, "GET /api/2.0/products?items_per_page=1000", nil, 0)
}

// hold opens connections of one user and writes a request to each.
func (a *attack) hold(ctx context.Context, sent *atomic.Int64, line string, body []byte, length int) {
	who := a.Users[slices.Sorted(maps.Keys(a.Users))[0]]
	for _, o := range a.doc.operations() {
		if o.entity() == "products" || o.entity() == "categories" {
			if user, ok := a.Users[o.Privilege]; ok {
				who = user
			}
		}
	}
	secret := base64.StdEncoding.EncodeToString([]byte(who.Email + ":" + who.Key))
	head := fmt.Sprintf("%s HTTP/1.1\r\nHost: shop\r\nAuthorization: Basic %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", line, secret, length)
	var wg sync.WaitGroup
	for range slowConnections {
		wg.Go(func() {
			conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", a.Address)
			if err != nil {
				return
			}
			defer conn.Close()
			context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
			sent.Add(1)
			if _, err := io.WriteString(conn, head); err != nil {
				return
			}
			if _, err := conn.Write(body); err != nil {
				return
			}
			if length > 0 { // a refusal comes at once
				if resp, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
					_ = resp.Body.Close()
				}
			}
			<-ctx.Done()
		})
	}
	wg.Wait()
}
