package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestProgress_E7_BarOnTerminal(t *testing.T) {
	var b bytes.Buffer
	p := progress{w: &b, terminal: true}
	p.show("orders", 1, 4, "3 requests")
	p.show("orders", 4, 4, "9 requests")
	p.show("orders", 6, 5)
	p.show("users", 7, 0)
	p.end()
	p.end()
	for _, want := range []string{`orders, 3 requests +25% .*\(1/4\)`, `orders, 9 requests +100% .*\(4/4\)`, `100% .*\(6/6\)`, `users \(7/-\)`, `\n$`} {
		if !regexp.MustCompile(want).MatchString(b.String()) {
			t.Errorf("the terminal does not show %s: %q", want, b.String())
		}
	}
	if n := strings.Count(b.String(), "\n"); n != 2 {
		t.Errorf("%d lines were ended, not one for each of two subjects", n)
	}
}

func TestProgress_E7_LinesElsewhere(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b)
	p.show("orders", 1, 4, "3 requests")
	p.show("orders", 2, 4) // within a second
	p.begun = p.begun.Add(-time.Minute)
	p.last = time.Time{}
	p.show("orders", 3, 4)
	p.show("orders", 4, 4)
	p.show("users", 7, 0)
	p.end()
	const want = "orders: 1 of 4, 3 requests\norders: 3 of 4, about 20s left\norders: 4 of 4\nusers: 7\n"
	if b.String() != want {
		t.Errorf("written:\n%swant:\n%s", b.String(), want)
	}
}
