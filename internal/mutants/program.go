package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A program is the compiled tests of a file's generated mutants, one of which the
// environment turns on.
type program struct {
	folder   string   // is removed at the end
	binaries []string // one for each package
	packages []string // their folders
	args     []string
	limit    time.Duration
	output   []byte // of tests that fail without a mutant
}

// compile compiles the mutants of one file with the tests. It returns the mutants that do
// not compile behind a switch, which are tried one by one.
func compile(ctx context.Context, root string, mutants []*mutant, limit time.Duration) (p *program, rest []*mutant, err error) {
	first := mutants[0]
	folder, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, nil, err
	}
	p = &program{folder: folder, limit: limit}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.remove())
		}
	}()
	path := filepath.Join(root, filepath.FromSlash(first.file))
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	build := func(list []*mutant) error {
		if err := p.overlay(path, switchable(string(text), list), switches(first.pkg)); err != nil {
			return err
		}
		_, err := p.command(ctx, root, "build", "-overlay", p.overlayFile(), "./"+filepath.ToSlash(filepath.Dir(first.file)))
		return err
	}
	rest = refused(mutants, build)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	var good []*mutant
	for _, m := range mutants {
		if !slices.Contains(rest, m) {
			good = append(good, m)
		}
	}
	if err := build(good); err != nil {
		return nil, nil, err
	}
	return p, rest, p.tests(ctx, root, first.test)
}

// refused returns the mutants without which the others compile.
func refused(list []*mutant, build func([]*mutant) error) []*mutant {
	if len(list) == 0 || build(list) == nil {
		return nil
	}
	if len(list) == 1 {
		return list
	}
	return append(refused(list[:len(list)/2], build), refused(list[len(list)/2:], build)...)
}

func (p *program) overlayFile() string { return filepath.Join(p.folder, "overlay.json") }

// overlay writes what the compiler reads in place of the file and beside it.
func (p *program) overlay(path, changed, beside string) error {
	replacement, added := filepath.Join(p.folder, "mutants.go"), filepath.Join(p.folder, "switches.go")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		path: replacement, filepath.Join(filepath.Dir(path), "mutant_switches.go"): added,
	}})
	if err != nil {
		return err
	}
	for name, content := range map[string]string{replacement: changed, added: beside, p.overlayFile(): string(overlay)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// tests compiles the tests, and runs them without a mutant: they must pass. Tests that take
// ten times as long with a mutant have failed.
func (p *program) tests(ctx context.Context, root, test string) error {
	p.args = []string{"-test.failfast"}
	for arg := range strings.FieldsSeq(test) {
		switch {
		case arg == ".", strings.HasPrefix(arg, "./"):
			binary := filepath.Join(p.folder, fmt.Sprintf("tests%d", len(p.binaries)))
			if out, err := p.command(ctx, root, "test", "-overlay", p.overlayFile(), "-vet=off", "-c", "-o", binary, arg); err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			p.binaries, p.packages = append(p.binaries, binary), append(p.packages, filepath.Join(root, filepath.FromSlash(arg)))
		case strings.HasPrefix(arg, "-"):
			p.args = append(p.args, "-test."+arg[1:])
		default:
			p.args = append(p.args, arg)
		}
	}
	began := time.Now()
	if v := p.run(ctx, 0); v != survived {
		return fmt.Errorf("the tests %s fail without a mutant: %s", test, p.output)
	}
	p.limit = min(p.limit, 10*time.Since(began)+10*time.Second)
	return ctx.Err()
}

// run runs the tests with a mutant.
func (p *program) run(ctx context.Context, number int) verdict {
	for i, binary := range p.binaries {
		cmd := exec.CommandContext(ctx, binary, append(p.args, "-test.timeout", p.limit.String())...)
		cmd.Dir, cmd.Env = p.packages[i], append(os.Environ(), fmt.Sprintf("%s=%d", numberVariable, number))
		if out, err := cmd.CombinedOutput(); err != nil {
			if number == 0 {
				p.output = out
			}
			return killed
		}
	}
	return survived
}

func (p *program) command(ctx context.Context, root string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	return cmd.CombinedOutput()
}

func (p *program) remove() error { return os.RemoveAll(p.folder) }
