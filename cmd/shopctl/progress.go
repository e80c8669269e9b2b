package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// A progress says how far a command is: on a terminal in one line that it writes again,
// elsewhere a line a second.
type progress struct {
	w        io.Writer
	terminal bool
	last     time.Time
	begun    time.Time
	subject  string
	length   int // of the line on the terminal
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w}
	if f, ok := w.(*os.File); ok {
		p.terminal = term.IsTerminal(int(f.Fd()))
	}
	return p
}

// tell says how much of the subject is done. total is 0 where it is not known.
func (p *progress) tell(subject string, done, total int64, more ...string) {
	now := time.Now()
	every := time.Second
	if p.terminal {
		every /= 5
	}
	if subject != p.subject {
		p.end()
		p.subject, p.begun = subject, now
	} else if now.Sub(p.last) < every && (done < total || total == 0) {
		return
	}
	p.last = now
	line := fmt.Sprintf("%s: %d", subject, done)
	if total > 0 {
		line += fmt.Sprintf(" of %d", total)
		if p.terminal {
			const width = 30
			filled := int(min(done, total) * width / total)
			line += " [" + strings.Repeat("#", filled) + strings.Repeat(".", width-filled) + "]"
		}
	}
	line += strings.Join(append([]string{""}, more...), ", ")
	if elapsed := now.Sub(p.begun); done > 0 && done < total && elapsed > time.Second {
		left := time.Duration(float64(elapsed) / float64(done) * float64(total-done))
		line += ", about " + left.Round(time.Second).String() + " left"
	}
	if !p.terminal {
		fmt.Fprintln(p.w, line)
		return
	}
	fmt.Fprint(p.w, "\r"+line+strings.Repeat(" ", max(0, p.length-len(line))))
	p.length = len(line)
}

// end ends the line on a terminal.
func (p *progress) end() {
	if p.length > 0 {
		fmt.Fprintln(p.w)
		p.length = 0
	}
}
