package main

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/shop"
)

// Files that an editor of Windows saved, with a byte order mark and CR LF, are read like others: the key of the old
// administrator, and the list of keys.
func TestPull_FilesWithByteOrderMark(t *testing.T) {
	t.Parallel()
	args := serveOld(t, newShop(t, shopRows))
	dir := t.TempDir()
	const mark, connector = "\uFEFF", "the-key-of-a-connector-of-the-old-shop"
	keyFile, keys := args[len(args)-1], filepath.Join(dir, "connectors.txt")
	for name, text := range map[string]string{keyFile: mark + oldKey + "\r\n", keys: mark + "root@example.com " + connector + "\r\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db := filepath.Join(dir, "shop.db")
	var said bytes.Buffer
	code := run(t.Context(), append(args, "-db", db, "-keys", keys), terminal{strings.NewReader(""), &said, &said})
	if code != 0 && code != exitPartly || strings.Contains(said.String(), "no user has the e-mail address") {
		t.Fatalf("exit code %d, %s", code, &said)
	}
	sh, err := shop.New(t.Context(), open(t, db), nil)
	if err != nil {
		t.Fatal(err)
	}
	req, w := httptest.NewRequest("GET", "/api/2.0/users/1", nil), httptest.NewRecorder()
	req.SetBasicAuth("root@example.com", connector)
	if sh.ServeHTTP(w, req); w.Code != 200 {
		t.Errorf("the key of the connector: %d %s", w.Code, w.Body)
	}
}
