package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestText_Find(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		body string
		want []string
	}{
		{"the lines that a tax applies to", nil},
		{"says what of an order a tax is on", []string{"what of"}},
		{"a text that is no code", []string{"is no code"}},
		{"There is no code, it is no longer there", nil},
		{"Those\nof it", []string{"Those of"}},
		{"makes one that there is not", []string{"that there is", "one that"}},
		{"it stands, and understands standard output", []string{"stands"}},
		{`it tells "what of" and ` + "`those of`", []string{"tells"}},
		{"what is as it was", []string{"what is"}},
		{"what it was", nil},
	} {
		var got []string
		for _, f := range (text{line: 1, body: tt.body}).find() {
			got = append(got, f.words)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", tt.body, diff)
		}
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, body := range map[string]string{
		"a.go":            "// Package a tells it.\npackage a\n\n//\tthose of code\nconst s = \"// stands\" // Four words and one\n",
		"b.md":            "It stands\nhere.\n\n```\nit tells\n```\n\nWhat of it?\n",
		"c.txt":           "it tells",
		"testdata/bad.go": "it tells",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	var out strings.Builder
	if err := run(&out, []string{dir + "/..."}, true, 0); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		dir + "/a.go:1: tells: Package a tells it.\n",
		dir + "/b.md:1: stands: It stands\n",
		dir + "/b.md:8: What of: What of it?\n",
		" 2142.9        3       14  all, in 10,000 words:",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("no %q in\n%s", line, out.String())
		}
	}
	if err := run(&out, []string{dir}, false, 2143); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if err := run(&out, []string{dir}, false, 2142); err == nil {
		t.Error("no error above the limit")
	}
	if err := run(&out, []string{t.TempDir()}, false, 0); err == nil {
		t.Error("no error without a comment")
	}
}
