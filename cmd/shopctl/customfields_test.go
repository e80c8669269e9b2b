package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/shop"
)

// newCustom makes a database that a host with custom fields has used, with a tax and the
// language nb.
func newCustom(t *testing.T) bench {
	t.Helper()
	b := bench{t, filepath.Join(t.TempDir(), "shop.db")}
	st, err := openStore(t.Context(), b.db)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	sh, err := shop.New(t.Context(), st, &shop.Options{Options: shopapi.Options{CustomFields: map[string][]shopapi.CustomField{"taxes": {
		{Name: "x_rank", Type: shopapi.CustomNumber},
		{Name: "x_note", Type: shopapi.CustomText, Translated: true},
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	tax := sh.Taxes.Defaults(t.Context())
	tax.Name = "VAT"
	tax.Custom.Set("x_note", "Food")
	if _, err := sh.Taxes.Create(t.Context(), tax); err != nil {
		t.Fatal(err)
	}
	norwegian := sh.Languages.Defaults(t.Context())
	norwegian.LangCode, norwegian.Name = "nb", "Norsk"
	if _, err := sh.Languages.Create(t.Context(), norwegian); err != nil {
		t.Fatal(err)
	}
	return b
}

// E13: shopctl import knows the declarations that the database has.
func TestE13_ImportHasTheFields(t *testing.T) {
	b := newCustom(t)
	file := filepath.Join(t.TempDir(), "taxes.csv")
	if err := os.WriteFile(file, []byte("tax_id,x_rank,x_note@nb\n1,7,Mat\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, errors, code := b.run("", "import taxes "+file); code != 0 || out != "1 rows: 0 created, 1 updated, 0 unchanged, 0 failed\n" {
		t.Errorf("%d %s%s", code, out, errors)
	}
	if out, errors, code := b.run("", "export -fields x_rank,x_note taxes"); code != 0 || out != `{"tax_id":"1","x_rank":"7","x_note":"Food"}`+"\n" {
		t.Errorf("%d %s%s", code, out, errors)
	}
}

// E7: shopctl export has the texts of custom fields in every language, and import reads what it
// wrote.
func TestE7_ExportHasTheTextsOfCustomFields(t *testing.T) {
	b := newCustom(t)
	file := filepath.Join(t.TempDir(), "taxes.jsonl")
	if err := os.WriteFile(file, []byte(`{"tax_id":1,"tax@nb":"Moms","x_note@nb":"Mat"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, errors, code := b.run("", "import taxes "+file); code != 0 || !strings.Contains(out, "1 updated") {
		t.Fatal(code, out, errors)
	}
	if out, errors, code := b.run("", "export -csv -fields tax,x_note@nb taxes"); code != 0 || out != "tax_id,tax,x_note@nb\r\n1,VAT,Mat\r\n" {
		t.Errorf("%d %q %s", code, out, errors)
	}
	out, errors, code := b.run("", "export taxes")
	if code != 0 || !strings.Contains(out, `"x_note":"Food"`) || !strings.Contains(out, `"x_note@nb":"Mat"`) || !strings.Contains(out, `"x_note@en":"Food"`) {
		t.Errorf("%d %s%s", code, out, errors)
	}
	if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, errors, code := b.run("", "import taxes "+file); code != 0 || !strings.Contains(out, "1 unchanged") {
		t.Errorf("%d %s%s", code, out, errors)
	}
}

// E13: fields of stores and of vendors, which are one table, are known in the edition that has the
// entity, and left alone in the others.
func TestE13_FieldsOfCompaniesInEveryEdition(t *testing.T) {
	for _, test := range []struct {
		edition  shopapi.Edition
		declares string
	}{
		{shopapi.MultiVendor, "vendors"},
		{shopapi.MultiStorefront, "stores"},
	} {
		b := bench{t, filepath.Join(t.TempDir(), "shop.db")}
		st, err := openStore(t.Context(), b.db)
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		_, err = shop.New(t.Context(), st, &shop.Options{Options: shopapi.Options{Edition: test.edition, CustomFields: map[string][]shopapi.CustomField{
			test.declares: {{Name: "x_rank", Type: shopapi.CustomNumber}},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		for args, want := range map[string]string{
			"users list": "ID  TYPE  ROOT  STATUS  COMPANY  EMAIL  NAME\n",
			"export -edition multi-vendor -fields x_rank vendors":    `{"company_id":"1","x_rank":null}` + "\n",
			"export -edition multi-storefront -fields x_rank stores": `{"company_id":"1","x_rank":null}` + "\n",
		} {
			if out, errors, code := b.run("", args); code != 0 || out != want {
				t.Errorf("%s, declared for %s: %d %s%s", args, test.declares, code, out, errors)
			}
		}
	}
}

// E7: shopctl export names an entity that is not there.
func TestE7_ExportOfNoEntity(t *testing.T) {
	b := newCustom(t)
	if out, errors, code := b.run("", "export vendors"); code != exitUsage || out != "" || !strings.Contains(errors, `ENTITY must be an entity whose objects can be listed, not "vendors"`) {
		t.Errorf("%d %s%s", code, out, errors)
	}
}
