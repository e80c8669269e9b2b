package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// A verdict is what became of a mutant.
type verdict string

const (
	killed   verdict = "killed"
	survived verdict = "survived"
	invalid  verdict = "does not compile"
)

// try runs the tests of a mutant. Tests that do not end within the limit have failed.
func try(ctx context.Context, root string, m mutant, limit time.Duration) (verdict, error) {
	path := filepath.Join(root, filepath.FromSlash(m.file))
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	changed, err := m.apply(string(text))
	if err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	replacement := filepath.Join(folder, filepath.Base(path))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {path: replacement}})
	if err != nil {
		return "", err
	}
	overlayFile := filepath.Join(folder, "overlay.json")
	for name, content := range map[string]string{replacement: changed, overlayFile: string(overlay)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			return "", err
		}
	}
	run := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = root
		return cmd.CombinedOutput()
	}
	if _, err := run("build", "-overlay", overlayFile, "./"+filepath.ToSlash(filepath.Dir(m.file))); err != nil {
		return invalid, ctx.Err() // an interrupted build says nothing about the mutant
	}
	args := append([]string{"test", "-overlay", overlayFile, "-vet=off", "-count=1", "-failfast", "-timeout", limit.String()},
		strings.Fields(m.test)...)
	if _, err := run(args...); err != nil {
		return killed, ctx.Err()
	}
	return survived, nil
}

// tryAll tries the mutants, some of them at once.
func tryAll(ctx context.Context, r *report, root string, mutants []mutant, parallel int, limit time.Duration) {
	alone, groups := inGroups(mutants)
	for _, group := range groups {
		p, rest, err := compile(ctx, root, group, limit)
		if err != nil {
			r.fail(fmt.Errorf("%s: %w", group[0].file, err))
			continue
		}
		alone = append(alone, rest...)
		group = slices.DeleteFunc(group, func(m *mutant) bool { return slices.Contains(rest, m) })
		each(ctx, group, parallel, func(m *mutant) {
			if v := p.run(ctx, m.number); ctx.Err() == nil {
				r.add(m, v)
			}
		})
		if err := p.remove(); err != nil {
			r.fail(err)
		}
	}
	each(ctx, alone, parallel, func(m *mutant) {
		if v, err := try(ctx, root, *m, limit); err != nil {
			r.fail(err)
		} else {
			r.add(m, v)
		}
	})
}

// inGroups returns the mutants that are compiled alone, and groups of generated ones of the
// same file and tests.
func inGroups(mutants []mutant) (alone []*mutant, groups [][]*mutant) {
	at := map[[2]string]int{}
	for i := range mutants {
		m := &mutants[i]
		if m.number == 0 {
			alone = append(alone, m)
			continue
		}
		k := [2]string{m.file, m.test}
		if _, ok := at[k]; !ok {
			at[k] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[k]] = append(groups[at[k]], m)
	}
	return alone, groups
}

// each calls a function for each mutant, for some at once.
func each(ctx context.Context, mutants []*mutant, parallel int, fn func(*mutant)) {
	var all sync.WaitGroup
	next := make(chan *mutant)
	for range parallel {
		all.Go(func() {
			for m := range next {
				fn(m)
			}
		})
	}
	for _, m := range mutants {
		if ctx.Err() != nil {
			break
		}
		next <- m
	}
	close(next)
	all.Wait()
}
