package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/shopapi/shopapi/bench/internal/peer"
)

// The growth is measured at these numbers of rows, for these operations and peers.
var (
	growthRows       = []int{1_000, 10_000, 100_000, 1_000_000}
	growthOperations = []string{getHot, list10Writing, pageMiddle}
	growthPeers      = []string{peer.Shop, peer.SQL, peer.PocketBase, peer.Floor}
)

// A stage is the measurements over one number of rows.
type stage struct {
	Rows       int      `json:"rows"`
	Operations []result `json:"operations"`
}

// cost returns the CPU time of a request, in microseconds, 0 if it was not measured.
func (s *stage) cost(operation, name string) float64 {
	for _, r := range s.Operations {
		if m := r.Peers[name]; r.Operation == operation && m != nil && m.PerSecond.Median > 0 {
			return 1e6 / m.PerSecond.Median
		}
	}
	return 0
}

// runGrowth measures the operations over growing numbers of rows and draws their cost.
func runGrowth(ctx context.Context, s settings, out io.Writer) error {
	var stages []stage
	var names []string
	for _, name := range growthPeers {
		if slices.Contains(s.peers, name) {
			names = append(names, name)
		}
	}
	for _, rows := range growthRows {
		if s.short && rows > 100_000 {
			break
		}
		grown, err := measureStage(ctx, s, rows, names)
		if err != nil {
			return err
		}
		stages = append(stages, grown)
	}
	printGrowth(out, stages, names)
	if s.json != "" {
		body, err := json.MarshalIndent(stages, "", "\t")
		if err != nil {
			return err
		}
		if err := os.WriteFile(s.json, append(body, '\n'), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(s.growth, []byte(drawGrowth(stages, names)), 0o644)
}

func measureStage(ctx context.Context, s settings, rows int, names []string) (stage, error) {
	grown := stage{Rows: rows}
	b, err := newBench(ctx, scale{rows}, os.Stderr)
	if err != nil {
		return grown, err
	}
	defer b.Close()
	if err := b.startAll(ctx, names); err != nil {
		return grown, err
	}
	for _, o := range operations {
		if !slices.Contains(growthOperations, o.Name) || !s.run.MatchString(o.Name) {
			continue
		}
		r, err := b.measure(ctx, o, names, s.rounds, s.time)
		if err != nil {
			return grown, err
		}
		grown.Operations = append(grown.Operations, r)
	}
	return grown, nil
}

// printGrowth writes the costs as a table, with the ratio between the most and the
// fewest rows.
func printGrowth(w io.Writer, stages []stage, names []string) {
	fmt.Fprint(w, "Microseconds for a request, by the number of rows:\n\n")
	head := []string{"Operation", "Peer"}
	for _, s := range stages {
		head = append(head, thousands(float64(s.Rows)))
	}
	table := [][]string{append(head, "last : first")}
	for _, o := range growthOperations {
		for _, name := range names {
			row := []string{o, name}
			for i := range stages {
				row = append(row, thousands(stages[i].cost(o, name)))
			}
			if first := stages[0].cost(o, name); first > 0 {
				row = append(row, fmt.Sprintf("%.2f", stages[len(stages)-1].cost(o, name)/first))
			} else {
				row = append(row, "")
			}
			table = append(table, row)
		}
	}
	writeTable(w, table)
}
