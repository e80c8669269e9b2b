package main

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/cmd/internal/example"
	_ "github.com/shopapi/shopapi/internal/fasttest"
)

// TestRun: the shop responds to each kind of request with an allowed status, and the
// memory is reported and judged.
func TestRun(t *testing.T) {
	program, err := example.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-time", "1s", "-clients", "2", "-demo-scale", "1", "-shop", program}, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, kind := range []string{"object 200", "list 200", "search 200", "create 201", "update 200", "wrong credentials 401", "memory is "} {
		if !strings.Contains(out.String(), kind) {
			t.Errorf("no %q in\n%s", kind, out.String())
		}
	}
	if runtime.GOOS != "linux" {
		return // systems without the memory of a process
	}
	if err := run(t.Context(), []string{"-time", "1s", "-clients", "1", "-most", "1", "-demo-scale", "1", "-shop", program}, io.Discard); err == nil || !strings.Contains(err.Error(), "more than 1 MiB") {
		t.Errorf("got error %v for more memory than -most", err)
	}
}

func TestRun_RefusesBadFlags(t *testing.T) {
	for _, args := range []string{"-time 1ms", "-clients 0", "-demo-scale 0", "-most -1", "now"} {
		if err := run(t.Context(), strings.Fields(args), io.Discard); err == nil {
			t.Errorf("%s was accepted", args)
		}
	}
}

func TestJudge(t *testing.T) {
	series := func(at func(i int) int64) []int64 {
		rss := make([]int64, 60)
		for i := range rss {
			rss[i] = at(i) << 20
		}
		return rss
	}
	for name, c := range map[string]struct {
		rss  []int64
		flat bool
	}{
		"flat":                    {series(func(int) int64 { return 150 }), true},
		"rises, then flat":        {series(func(i int) int64 { return 50 + 5*min(int64(i), 20) }), true},
		"rises all the time":      {series(func(i int) int64 { return 50 + int64(i) }), false},
		"rises slowly":            {series(func(i int) int64 { return 1000 + int64(i) }), true}, // 2 % over the third
		"up and down":             {series(func(i int) int64 { return 150 + 20*int64(i%2) }), true},
		"falls":                   {series(func(i int) int64 { return 200 - int64(i) }), true},
		"the system does not say": {make([]int64, 60), false},
		"too short":               {[]int64{1, 1}, false},
	} {
		if v := judge(c.rss); v.flat != c.flat {
			t.Errorf("%s: %v", name, v)
		}
	}
	if v := judge(series(func(i int) int64 { return int64(i) })); v.rise != 19<<20 || v.most != 59<<20 {
		t.Errorf("a rise of 1 MiB a sample is judged %v", v)
	}
}
