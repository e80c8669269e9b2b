package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// commandsOf returns the commands of shopctl in a document, in their order, in blocks of
// code and within lines.
func commandsOf(t *testing.T, name string) (commands []string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	joined := strings.ReplaceAll(string(text), "\\\n", " ")
	for _, found := range regexp.MustCompile("(?m)^ +shopctl (.*)$|`shopctl ([a-z]+ [-…][^`]*)`").FindAllStringSubmatch(joined, -1) {
		commands = append(commands, found[1]+found[2])
	}
	return commands
}

// Every command of docs/moving.md does what the document says, one after the other, in a move
// from one shop to another.
func TestMoving_EveryCommand(t *testing.T) {
	t.Parallel()
	args := serveOld(t, newShop(t, shopRows)) // pull -insecure -from URL -email ADDRESS -key-file FILE
	dir := t.TempDir()
	connectors := filepath.Join(dir, "connectors.txt")
	if err := os.WriteFile(connectors, []byte("root@example.com "+oldKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	names := strings.NewReplacer(
		"https://old.example/api", args[3], "you@old.example", args[5], "old.key", args[7],
		"shop.db", filepath.Join(dir, "shop.db"), "report.json", filepath.Join(dir, "report.json"), "connectors.txt", connectors,
	)
	var first []string // pull, with the flags of the first run
	last := ""
	commands := commandsOf(t, filepath.Join("..", "..", "docs", "moving.md"))
	for _, command := range commands {
		words := strings.Fields(names.Replace(command))
		switch {
		case words[0] == "pull" && slices.Contains(words, "-dry-run"):
			words = slices.Insert(words, 1, "-insecure")
			first = slices.DeleteFunc(slices.Clone(words), func(word string) bool { return word == "-dry-run" })
		case words[0] == "pull" && words[1] == "…":
			words = append(slices.Clone(first), words[2:]...)
		}
		var out, said bytes.Buffer
		code := run(t.Context(), words, terminal{strings.NewReader("a long password\n"), &out, &said})
		if code != 0 && code != exitPartly {
			t.Errorf("shopctl %s: exit code %d, %s", command, code, &said)
		}
		if last == "" { // the document says to run the first command again, without -dry-run
			if code := run(t.Context(), first, terminal{strings.NewReader(""), &out, &said}); code != 0 && code != exitPartly {
				t.Fatalf("the first pull: exit code %d, %s", code, &said)
			}
		}
		last = command
	}
	if len(commands) < 6 || !strings.HasPrefix(last, "pull -finish") {
		t.Errorf("the commands are %q", commands)
	}
	var said bytes.Buffer
	if code := run(t.Context(), first, terminal{strings.NewReader(""), &said, &said}); code != 1 || !strings.Contains(said.String(), "finished") {
		t.Errorf("a pull after the last one: exit code %d, %s", code, &said)
	}
}
