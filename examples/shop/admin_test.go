package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAdministrator_Sources: a flag, a file, the environment, in this order.
func TestAdministrator_Sources(t *testing.T) {
	file := filepath.Join(t.TempDir(), "admin")
	if err := os.WriteFile(file, []byte("file@example.com:key-in-the-file-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(adminVariable, "env@example.com:key-in-the-environment")
	for _, c := range []struct{ args, email, key string }{
		{"-admin flag@example.com:key-of-the-flag-1", "flag@example.com", "key-of-the-flag-1"},
		{"-admin-file " + file, "file@example.com", "key-in-the-file-1"},
		{"", "env@example.com", "key-in-the-environment"},
	} {
		e := start(t, append([]string{"-db", "memory", "-demo=false"}, strings.Fields(c.args)...)...)
		if status, body := e.get("/api/2.0/categories", c.email, c.key); status != 200 {
			t.Errorf("%s answered %d %s", c.email, status, body)
		}
		if strings.Contains(e.output, c.key) {
			t.Errorf("the output shows the key that was given:\n%s", e.output)
		}
		e.end()
	}
}

// TestAdministrator_ErrorsShowNoKey, in whichever part of the text the key is.
func TestAdministrator_ErrorsShowNoKey(t *testing.T) {
	const secret = "secret-0123456789"
	file := filepath.Join(t.TempDir(), "admin")
	if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ env, flag, source string }{
		{"", "-admin=" + secret, "-admin"},
		{"", "-admin=:" + secret, "-admin"},
		{"", "-admin-file=" + file, "-admin-file"},
		{secret, "-db=memory", adminVariable},
	} {
		t.Setenv(adminVariable, c.env)
		err := run(t.Context(), []string{"-addr", "127.0.0.1:0", "-db", "memory", c.flag}, nil)
		if err == nil || !strings.Contains(err.Error(), c.source+" must be EMAIL:KEY") || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: got error %v", c.source, err)
		}
	}
}
