package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A progress says how far a command is: by a bar on a terminal, elsewhere by a line a second.
type progress struct {
	w        io.Writer
	terminal bool
	bar      *progressbar.ProgressBar // of the subject, on a terminal
	last     time.Time                // when the last line was written, elsewhere
	begun    time.Time
	subject  string
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w}
	if f, ok := w.(*os.File); ok {
		p.terminal = term.IsTerminal(int(f.Fd()))
	}
	return p
}

// show prints how much of the subject is done. total is 0 where it is not known.
func (p *progress) show(subject string, done, total int64, more ...string) {
	if subject != p.subject {
		p.end()
		p.subject, p.begun, p.last = subject, time.Now(), time.Time{}
	}
	if p.terminal {
		p.draw(done, total, more)
	} else if time.Since(p.last) >= time.Second || done >= total && total > 0 {
		p.last = time.Now()
		p.print(done, total, more)
	}
}

// draw moves the bar. It is a spinner where the total is not known.
func (p *progress) draw(done, total int64, more []string) {
	if total > 0 {
		total = max(total, done) // lists grow while they are read
	} else {
		total = -1
	}
	text := strings.Join(append([]string{p.subject}, more...), ", ")
	if p.bar == nil || p.bar.GetMax64() != total {
		p.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(text),
			progressbar.OptionShowCount(), progressbar.OptionSetWidth(30), progressbar.OptionThrottle(200*time.Millisecond))
	} else {
		p.bar.Describe(text)
	}
	_ = p.bar.Set64(done)
}

// print writes a line.
func (p *progress) print(done, total int64, more []string) {
	line := fmt.Sprintf("%s: %d", p.subject, done)
	if total > 0 {
		line += fmt.Sprintf(" of %d", total)
	}
	line += strings.Join(append([]string{""}, more...), ", ")
	if elapsed := time.Since(p.begun); done > 0 && done < total && elapsed > time.Second {
		left := time.Duration(float64(elapsed) / float64(done) * float64(total-done))
		line += ", about " + left.Round(time.Second).String() + " left"
	}
	fmt.Fprintln(p.w, line)
}

// end leaves the bar as it is, and begins a new line.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Exit()
		fmt.Fprintln(p.w)
		p.bar = nil
	}
}
