package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// The goals of a campaign.
const (
	timeLimit  = 30*time.Second + 100*time.Millisecond // the default of Limits.Time, and 100 ms
	memoryPart = 4                                     // of Limits.Memory: so much more is good
	mostMissed = 4                                     // one entity in so many may have no accepted request
)

const shown = 10

// printAlone prints the first requests of a list.
func printAlone(out io.Writer, title string, list []shot) {
	fmt.Fprintf(out, "\n%s\n%8s %8s %8s %8s %8s %9s  %s\n", title, "ms", "CPU ms", "held ms", "MiB", "body KB", "size", "request")
	for i := range list[:min(len(list), shown)] {
		s := &list[i]
		fmt.Fprintf(out, "%8.1f %8.1f %8.1f %8.1f %8d %9d  %s: %d\n", milliseconds(s.took), milliseconds(s.CPU), milliseconds(s.Held),
			float64(s.Allocated)/(1<<20), len(s.body)>>10, s.n, s, s.status)
	}
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// judge returns an error for each goal that was missed.
func (a *attack) judge() error {
	most := a.Memory + a.Memory/memoryPart + a.empty
	fmt.Fprintf(a.out, "memory: %d MiB at most, of %d MiB that are allowed (%d MiB of it before the first request)\nthe slowest request took %.0f ms: %s, %d: %d\n",
		a.peak>>20, most>>20, a.empty>>20, milliseconds(a.slowest.took), &a.slowest, a.slowest.n, a.slowest.status)
	if a.peak > most {
		a.fail("the process used %d MiB, more than the %d MiB that are allowed", a.peak>>20, most>>20)
	}
	if a.slowest.took > timeLimit {
		a.fail("%s with %d took %v, longer than %v", &a.slowest, a.slowest.n, a.slowest.took, timeLimit)
	}
	var missed []string
	for entity, accepted := range a.aims {
		if !accepted {
			missed = append(missed, entity)
		}
	}
	if slices.Sort(missed); len(missed) > 0 {
		fmt.Fprintf(a.out, "no request was accepted that changes %s\n", strings.Join(missed, ", "))
	}
	if len(missed) > len(a.aims)/mostMissed {
		a.fail("the attack has no aim: no request was accepted that changes %s", strings.Join(missed, ", "))
	}
	if len(a.failures) > 0 {
		return errors.New(strings.Join(a.failures, "\n"))
	}
	return nil
}
