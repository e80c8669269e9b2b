package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/shopapi/shopapi/bench/internal/load"
	"github.com/shopapi/shopapi/bench/internal/peer"
)

// A report is the results of a run.
type report struct {
	Started     time.Time         `json:"started"`
	Machine     string            `json:"machine"`
	Versions    map[string]string `json:"versions"`
	Rows        int               `json:"rows"`
	Rounds      int               `json:"rounds"`
	TurnSeconds float64           `json:"turn_seconds"`
	PeerNames   []string          `json:"peers"`
	Operations  []result          `json:"operations"`
	Goals       []verdict         `json:"goals"`
	Soak        *soaked           `json:"memory,omitempty"`
	Start       *startTime        `json:"start,omitempty"`
}

// shown are the modules whose versions a report names.
var shown = []string{"github.com/pocketbase/pocketbase", "github.com/mattn/go-sqlite3", "github.com/rs/rest-layer", "modernc.org/sqlite", "modernc.org/libc"}

func newReport(s settings) *report {
	r := &report{
		Started: time.Now().UTC().Truncate(time.Second), Machine: machine(), Rows: s.rows, Rounds: s.rounds,
		TurnSeconds: s.time.Seconds(), PeerNames: s.peers, Versions: map[string]string{"go": runtime.Version(), "shopapi": revision()},
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if slices.Contains(shown, m.Path) {
				r.Versions[m.Path] = m.Version
			}
		}
	}
	return r
}

// revision returns the commit of the working tree, "unknown" without git.
func revision() string {
	commit, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	version := strings.TrimSpace(string(commit))
	if changes, err := exec.Command("git", "status", "--porcelain", "--untracked-files=no").Output(); err == nil && len(changes) > 0 {
		version += " with changes"
	}
	return version
}

// machine describes the machine of the run.
func machine() string {
	text := fmt.Sprintf("%d processors, %s/%s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return text
	}
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return text + ", " + strings.TrimSpace(value)
		}
	}
	return text
}

// deliver prints the report, and writes it to the files in the settings.
func (r *report) deliver(s settings, out io.Writer) error {
	var text bytes.Buffer
	r.print(&text)
	if _, err := out.Write(text.Bytes()); err != nil {
		return err
	}
	if s.json != "" {
		body, err := json.MarshalIndent(r, "", "\t")
		if err != nil {
			return err
		}
		if err := os.WriteFile(s.json, append(body, '\n'), 0o644); err != nil {
			return err
		}
	}
	if s.readme {
		return replaceTable("README.md", text.String())
	}
	return nil
}

// print writes the report as Markdown that is also readable as text.
func (r *report) print(w io.Writer) {
	fmt.Fprintf(w, "%s, %s. %d reviews, %d categories; medians of %d rounds of %gs, the least and the most in brackets.\n\n",
		r.Started.Format(time.DateOnly), r.Machine, r.Rows, r.Rows, r.Rounds, r.TurnSeconds)
	fmt.Fprintf(w, "Versions: shopapi %s, %s", r.Versions["shopapi"], r.Versions["go"])
	for _, name := range shown {
		if version := r.Versions[name]; version != "" {
			fmt.Fprintf(w, ", %s %s", name, version)
		}
	}
	fmt.Fprint(w, ".\n\nRequests per second:\n\n")
	table := [][]string{append([]string{"Operation"}, r.PeerNames...)}
	for _, o := range r.Operations {
		row := []string{o.Operation}
		for _, name := range r.PeerNames {
			row = append(row, o.Peers[name].cell())
		}
		table = append(table, row)
	}
	writeTable(w, table)
	if len(r.Goals) > 0 {
		fmt.Fprint(w, "\nRatios of shopapi, round by round:\n\n")
		table = [][]string{{"Operation", "Ratio", "Measured", "Goal", ""}}
		for _, v := range r.Goals {
			table = append(table, v.row())
		}
		writeTable(w, table)
	}
	if r.Soak != nil {
		fmt.Fprintf(w, "\nMemory in RAM during %g s of random reads with writes among them (%s of them answered), in MiB:\n\n",
			r.Soak.Seconds, thousands(float64(r.Soak.Requests)))
		writeTable(w, [][]string{
			append([]string{"shopapi, from the beginning to the end"}, make([]string, samples)...),
			append([]string{"keeping answers"}, mebibytes(r.Soak.Keeping)...),
			append([]string{"keeping none"}, mebibytes(r.Soak.Plain)...),
		})
		fmt.Fprintf(w, "\nThe cache, whose limit is %d MiB, adds %.0f MiB; the goal is ≤ %.0f: %s.\n", soakLimit>>20, r.Soak.cost()/(1<<20),
			1.1*soakLimit/(1<<20), judged(r.Soak.cost() <= 1.1*soakLimit))
	}
	if written := r.written(); len(written) > 0 {
		fmt.Fprint(w, "\nKB that a peer's process writes for each order, and the calls of the system for that, its response included:\n\n")
		writeTable(w, append([][]string{append([]string{"Operation"}, r.PeerNames...)}, written...))
	}
	if s := r.Start; s != nil {
		fmt.Fprintf(w, "\nFrom the start of shopapi over SQLite, with %s orders, to its first response, a list of orders: %.0f ms (%.0f–%.0f); the goal is ≤ %.0f with a million: %s.\n",
			thousands(float64(s.Orders)), 1000*s.Seconds.Median, 1000*s.Seconds.Min, 1000*s.Seconds.Max, 1000*maxStart, judged(s.Met))
	}
}

// written returns the rows of what the peers write for an order.
func (r *report) written() [][]string {
	var table [][]string
	for _, o := range r.Operations {
		if o.Operation != place64 && o.Operation != placeAlone {
			continue
		}
		row := []string{o.Operation}
		for _, name := range r.PeerNames {
			cell := ""
			if m := o.Peers[name]; m != nil && m.Written.Median > 0 && name != peer.Floor && !slices.Contains(peer.OverPostgreSQL, name) {
				cell = fmt.Sprintf("%.1f in %.1f", m.Written.Median/1000, m.Writes.Median)
			}
			row = append(row, cell)
		}
		table = append(table, row)
	}
	return table
}

func judged(met bool) string {
	if met {
		return "met"
	}
	return "missed"
}

func mebibytes(sizes []int64) []string {
	cells := make([]string, len(sizes))
	for i, size := range sizes {
		cells[i] = fmt.Sprint(size >> 20)
	}
	return cells
}

func (m *measured) cell() string {
	if m == nil {
		return ""
	}
	return fmt.Sprintf("%s (%s–%s)", thousands(m.PerSecond.Median), thousands(m.PerSecond.Min), thousands(m.PerSecond.Max))
}

func (v *verdict) row() []string {
	goal := fmt.Sprintf("≥ %.2f", v.AtLeast)
	if v.AtMost != 0 {
		goal = fmt.Sprintf("≤ %.2f", v.AtMost)
	}
	return []string{v.Operation, v.Goal, ratio(v.Ratio), goal, judged(v.Met)}
}

func ratio(s load.Spread) string { return fmt.Sprintf("%.2f (%.2f–%.2f)", s.Median, s.Min, s.Max) }

// thousands writes a number with commas, and small ones with a decimal.
func thousands(n float64) string {
	if n < 100 {
		return fmt.Sprintf("%.1f", n)
	}
	digits := fmt.Sprintf("%.0f", n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// summary returns an operation in one line of progress.
func summary(r result, names []string) string {
	var parts []string
	for _, name := range names {
		if m := r.Peers[name]; m != nil {
			parts = append(parts, name+" "+thousands(m.PerSecond.Median))
		}
	}
	return strings.Join(parts, ", ") + " a second"
}

// writeTable writes rows as a Markdown table with even columns.
func writeTable(w io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)), 3)
		}
	}
	line := func(row []string) {
		for i, cell := range row {
			fmt.Fprintf(w, "| %-*s ", widths[i], cell)
		}
		fmt.Fprintln(w, "|")
	}
	line(rows[0])
	for _, width := range widths {
		fmt.Fprint(w, "|"+strings.Repeat("-", width+2))
	}
	fmt.Fprintln(w, "|")
	for _, row := range rows[1:] {
		line(row)
	}
}

// The table in README.md is between these lines.
const (
	tableBegin = "<!-- table -->\n"
	tableEnd   = "<!-- end of table -->\n"
)

func replaceTable(file, table string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), tableBegin)
	_, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		return errors.New(file + " has no lines between which the table stands")
	}
	return os.WriteFile(file, []byte(before+tableBegin+"\n"+table+"\n"+tableEnd+after), 0o644)
}
