package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
