package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/bench/internal/dialect"
	"github.com/shopapi/shopapi/bench/internal/load"
	"github.com/shopapi/shopapi/bench/internal/peer"
)

// TestMain is the main function if the test runs itself as a peer.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == peer.Subcommand || os.Args[1] == seedSubcommand) {
		if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestPeers starts all peers, checks their responses, and sends each some requests of
// every operation.
func TestPeers(t *testing.T) {
	b, err := newBench(t.Context(), scale{1000}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	names := b.withPostgreSQL(t.Context(), peer.Names)
	if err := b.startAll(t.Context(), names); err != nil {
		t.Fatal(err)
	}
	var results []result
	for i, o := range operations {
		rounds, turn := 1, 20*time.Millisecond
		if i == 0 {
			rounds = 2
		}
		if o.Connections == writers { // the first responses take longer if each commits alone
			turn = 150 * time.Millisecond
		}
		r, err := b.measure(t.Context(), o, names, rounds, turn)
		if err != nil {
			t.Fatal(err)
		}
		for name, m := range r.Peers {
			if len(m.Rounds) != rounds || m.PerSecond.Max <= 0 {
				t.Errorf("%s: %s: rounds %v", o.Name, name, m.Rounds)
			}
		}
		results = append(results, r)
	}
	if err := b.checkCreated(results); err != nil {
		t.Error(err)
	}
	r, err := b.measure(t.Context(), mix, names, 1, 150*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Peers) == 0 || r.Peers[peer.Shop].PerSecond.Max <= 0 {
		t.Errorf("the mix: %v", r.Peers)
	}
	if judged := len(verdicts(results)); len(names) == len(peer.Names) && judged != len(goals()) {
		t.Errorf("%d goals of %d were judged", judged, len(goals()))
	}
	start, err := b.startTimes(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if start.Seconds.Min <= 0 || start.Orders != 1000 {
		t.Errorf("the start: %+v", start)
	}
	pid := b.processes[peer.SQL]
	b.Close()
	if _, _, err := ask(pid, dialect.List{Page: 1, PageSize: 1}); err == nil {
		t.Error("a peer still answers after Close")
	}
	if _, err := os.Stat(b.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestStart_SaysWhyAPeerDidNotStart(t *testing.T) {
	p, err := peer.Start(t.Context(), peer.Config{Name: peer.Shop, Dir: t.TempDir(), Source: "nowhere"})
	if err == nil {
		p.Stop()
		t.Fatal("a peer without rows started")
	}
	if !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("the error does not say what is missing: %v", err)
	}
}

func TestTruth_List(t *testing.T) {
	verify := &verifier{newest: []listed{
		{id: 3, rating: 5, product: 1, status: "A"},
		{id: 1, rating: 4, product: 2, status: "D"},
		{id: 2, rating: 4, product: 2, status: "A"},
		{id: 4, rating: 5, product: 2, status: "A"},
	}}
	for _, test := range []struct {
		list  dialect.List
		ids   []int
		total int
	}{
		{dialect.List{Page: 1, PageSize: 3}, []int{3, 1, 2}, 4},
		{dialect.List{Page: 2, PageSize: 3}, []int{4}, 4},
		{dialect.List{Page: 3, PageSize: 3}, nil, 4},
		{dialect.List{Status: "A", Page: 1, PageSize: 2}, []int{3, 2}, 3},
		{dialect.List{Status: "A", Rating: 5, Page: 1, PageSize: 9}, []int{3, 4}, 2},
		{dialect.List{Status: "A", Product: 2, Page: 1, PageSize: 9}, []int{2, 4}, 2},
	} {
		ids, total := verify.list(test.list)
		if diff := cmp.Diff(test.ids, ids); diff != "" || total != test.total {
			t.Errorf("%+v: total %d, (-want +got)\n%s", test.list, total, diff)
		}
	}
}

func TestVerdicts(t *testing.T) {
	results := []result{
		{Operation: getHot, Peers: map[string]*measured{peer.Shop: {Rounds: []float64{90, 70}}, peer.Floor: {Rounds: []float64{100, 100}}}},
		{Operation: createAlone, Peers: map[string]*measured{peer.Shop: {Rounds: []float64{50}}, peer.SQL: {Rounds: []float64{100}}}},
		{Operation: placeAlone, Peers: map[string]*measured{peer.Shop: {written: []float64{40_000, 50_000, 47_000}}}},
		{Operation: place64, Peers: map[string]*measured{peer.Shop: {}}}, // on a system that does not count what is written
	}
	want := []verdict{
		{Operation: getHot, Goal: "of the floor", AtLeast: 0.8, Ratio: load.Spread{Median: 0.8, Min: 0.7, Max: 0.9}, Met: true},
		{Operation: createAlone, Goal: "cost, of the hand-written handler's", AtMost: 1.15, Ratio: load.Spread{Median: 2, Min: 2, Max: 2}},
		{Operation: placeAlone, Goal: "KB written for each", AtMost: 48, Ratio: load.Spread{Median: 47, Min: 40, Max: 50}, Met: true},
	}
	if diff := cmp.Diff(want, verdicts(results)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[float64]string{0.04: "0.0", 99.94: "99.9", 100: "100", 999: "999", 1000: "1,000", 1234567.8: "1,234,568"} {
		if got := thousands(n); got != want {
			t.Errorf("%v is %q instead of %q", n, got, want)
		}
	}
}

func TestReplaceTable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(file, []byte("before\n"+tableBegin+"old\n"+tableEnd+"after\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := replaceTable(file, "new\n"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("before\n"+tableBegin+"\nnew\n\n"+tableEnd+"after\n", string(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if err := os.WriteFile(file, []byte("no table\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := replaceTable(file, "new\n"); err == nil {
		t.Error("a file without the lines was changed")
	}
}

// TestREADME_HasATable keeps the flag -readme working.
func TestREADME_HasATable(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), tableBegin)
	if !strings.Contains(rest, tableEnd) {
		t.Error("README.md has no lines between which the table stands")
	}
}

func TestReport_IsJSON(t *testing.T) {
	r := newReport(settings{scale: scale{1000}, peers: []string{peer.Shop}})
	r.Operations = []result{{Operation: getHot, Peers: map[string]*measured{peer.Shop: {Rounds: []float64{1}}}}}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back report
	if err := json.Unmarshal(text, &back); err != nil || back.Operations[0].Peers[peer.Shop].Rounds[0] != 1 {
		t.Errorf("%v: %s", err, text)
	}
}

func TestDrawGrowth_IsWellFormed(t *testing.T) {
	of := func(speed float64) []result {
		return []result{{Operation: getHot, Peers: map[string]*measured{peer.Shop: {PerSecond: load.Spread{Median: speed}}}}}
	}
	for name, stages := range map[string][]stage{
		"two stages":          {{1000, of(50_000)}, {1_000_000, of(40)}},
		"one stage":           {{1000, of(50_000)}},
		"nothing in a stage":  {{1000, nil}, {10_000, of(1)}},
		"nothing was measure": {{1000, nil}},
	} {
		picture := drawGrowth(stages, []string{peer.Shop})
		d := xml.NewDecoder(strings.NewReader(picture))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if strings.Contains(picture, "NaN") || strings.Contains(picture, "Inf") {
			t.Errorf("%s: %s", name, picture)
		}
	}
}

func TestParse(t *testing.T) {
	s, err := parse([]string{"-short", "-peers", "sql,floor", "-run", "GET"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{peer.Floor, peer.SQL}, s.peers); diff != "" || s.rows != 20_000 || s.rounds != 3 {
		t.Errorf("%+v", s)
	}
	for _, bad := range [][]string{{"-peers", "nobody"}, {"-run", "("}, {"-rows", "10"}, {"-rows", "9999999"}, {"extra"}} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
}
