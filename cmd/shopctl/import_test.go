package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shopapi/shopapi/shop"
)

// E7: shopctl import goes by the ending of the file, reports each error with its line,
// its exit code is 2 where rows were left out and 64 for wrong arguments, and a refused import prints no counts.
func TestImport(t *testing.T) {
	b := bench{t, filepath.Join(t.TempDir(), "shop.db")}
	b.shop(func(*shop.Shop) {})
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("taxes.csv", "tax,priority\nVAT,1\nToll,2\n")
	bad := file("more.jsonl", `{"tax_id":1,"tax":"Sales tax","colour":"red"}`+"\n"+`{"priority":"x"}`+"\n")
	for _, tc := range []struct {
		args     []string
		code     int
		out, err string
	}{
		{[]string{"import", "-dry-run", "taxes", good}, 0, "2 rows: 2 created, 0 updated, 0 unchanged, 0 failed\n", ""},
		{[]string{"import", "taxes", good}, 0, "2 rows: 2 created, 0 updated, 0 unchanged, 0 failed\n", ""},
		{[]string{"import", "taxes", bad}, 2, "2 rows: 0 created, 1 updated, 0 unchanged, 1 failed\nno field has these names: colour\n", "line 2: priority must be a whole number, not \"x\"\n"},
		{[]string{"import", "-json", "taxes", bad}, 2, `{"line":2,"field":"priority","message":"must be a whole number, not \"x\""}` + "\n" + `{"line":2,"field":"tax","message":"is required: the name of the tax"}` + "\n" +
			`{"rows":2,"created":0,"updated":0,"unchanged":1,"failed":1,"unknown_columns":["colour"]}` + "\n", ""},
		{[]string{"import", "things", good}, exitUsage, "", `shopctl: ENTITY must be an entity whose objects can be listed and changed, not "things"`},
		{[]string{"import", "-match", "colour", "-missing", "ask", "taxes", good}, exitUsage, "", `shopctl: -match must be one of tax_id, not "colour"; -missing must be one of fail, skip, create, not "ask"`},
		{[]string{"import", "taxes", file("other.csv", "colour\nred\n")}, 1, "", "no column has the name of a field"},
		{[]string{"import", "-json", "taxes", file("empty.csv", "")}, 1, "", "the file has no row with the names of columns"},
		{[]string{"import", "taxes", file("taxes.txt", "")}, exitUsage, "", `the name of the file must end in .jsonl, .ndjson or .csv`},
		{[]string{"import", "taxes", file("cut.csv", "tax\nA\n\"B")}, 1, "1 rows: 1 created", "line 3: the file ends within a quoted cell"},
	} {
		out, err, code := b.run("", strings.Join(tc.args, " "))
		if code != tc.code || !strings.HasPrefix(out, tc.out) || tc.out == "" && out != "" || !strings.Contains(err, tc.err) {
			t.Errorf("%q: %d\n%s%s, want %d\n%s%s", tc.args, code, out, err, tc.code, tc.out, tc.err)
		}
	}
}
