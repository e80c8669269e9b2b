package pull_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/pull"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/taxes"
	"github.com/shopapi/shopapi/users"
)

// importFile imports a file into a shop below the rules. It returns the report, and the problems as
// texts.
func importFile(t *testing.T, sh *shop.Shop, entity, file string, o files.ImportOptions) (report files.Report, problems []string, err error) {
	t.Helper()
	o.Problem = func(p files.RowProblem) {
		problems = append(problems, fmt.Sprintf("%d %s: %s", p.Line, p.Field, p.Message))
	}
	report, err = pull.Import(t.Context(), sh, entity, strings.NewReader(file), &o)
	return report, problems, err
}

// exportLines are all objects of an entity as JSON lines, with the texts in languages.
func exportLines(t *testing.T, sh *shop.Shop, entity string, languages ...string) string {
	t.Helper()
	var lines bytes.Buffer
	if err := files.Export(t.Context(), &lines, sh.API, entity, &files.ExportOptions{Languages: languages}); err != nil {
		t.Fatal(err)
	}
	return lines.String()
}

// withCustom opens a shop with custom fields of taxes and of addresses.
func withCustom(t *testing.T) *shop.Shop {
	t.Helper()
	sh, err := shop.New(t.Context(), memory.New(), &shop.Options{
		Options: shopapi.Options{
			CustomFields: map[string][]shopapi.CustomField{"taxes": {
				{Name: "x_rank", Type: shopapi.CustomNumber}, {Name: "x_note", Type: shopapi.CustomText, Translated: true},
			}},
			CustomerFields: []shopapi.CustomField{{Name: "b_district", Type: shopapi.CustomText}},
		},
		Changes: changes.Options{Mode: changes.On},
	})
	if err != nil {
		t.Fatal(err)
	}
	return sh
}

// E7, E13: an import into an entity without objects writes ids, times, texts in other languages and
// custom fields as the file has them. New ids follow.
func TestE7_ImportBelowTheRules(t *testing.T) {
	t.Parallel()
	old := withCustom(t)
	tax := old.Taxes.Defaults(t.Context())
	tax.Name = "VAT"
	tax.Custom.Set("x_note", "Food")
	tax.Custom.Set("x_rank", int64(3))
	for range 3 {
		if _, err := old.Taxes.Create(t.Context(), tax); err != nil {
			t.Fatal(err)
		}
	}
	german := shopapi.WithLanguage(t.Context(), "de")
	if _, err := old.Taxes.Update(german, 2, func(v *taxes.Tax) error {
		v.Name = "MwSt"
		v.Custom.Set("x_note", "Essen")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := old.Taxes.Delete(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	want := exportLines(t, old, "taxes", "de", "en")
	if !strings.Contains(want, `"tax@de":"MwSt"`) || !strings.Contains(want, `"x_note@de":"Essen"`) {
		t.Fatal(want)
	}
	packed := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		io.WriteString(w, text)
		w.Close()
		return b.String()
	}
	var table bytes.Buffer
	if err := files.Export(t.Context(), &table, old.API, "taxes", &files.ExportOptions{Languages: []string{"de", "en"}, ExportOptions: bulk.ExportOptions{CSV: true}}); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]struct {
		text string
		o    files.ImportOptions
	}{
		"lines": {want, files.ImportOptions{}}, "packed lines": {packed(want), files.ImportOptions{Gzip: true}},
		"table": {table.String(), files.ImportOptions{CSV: true, Match: "tax_id"}}, "packed table": {packed(table.String()), files.ImportOptions{CSV: true, Gzip: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sh := withCustom(t)
			before, _ := sh.Changes.Position(t.Context())
			dry := file.o
			dry.DryRun = true
			if report, problems, err := importFile(t, sh, "taxes", file.text, dry); err != nil || report.Created != 2 || len(problems) > 0 || exportLines(t, sh, "taxes") != "" {
				t.Fatalf("the dry run: %+v, %v, %v", report, problems, err)
			}
			report, problems, err := importFile(t, sh, "taxes", file.text, file.o)
			if diff := gocmp.Diff(files.Report{Rows: 2, Created: 2, UnknownColumns: []string{}}, report); err != nil || diff != "" || len(problems) > 0 {
				t.Fatalf("%v, %v, %s", err, problems, diff)
			}
			if diff := gocmp.Diff(want, exportLines(t, sh, "taxes", "de", "en")); diff != "" {
				t.Error(diff)
			}
			if after, _ := sh.Changes.Position(t.Context()); after == before {
				t.Errorf("the log %s goes on", after)
			}
			tax := sh.Taxes.Defaults(t.Context())
			tax.Name = "Toll"
			if made, err := sh.Taxes.Create(t.Context(), tax); err != nil || made.TaxID != 4 {
				t.Errorf("the next tax is %d, %v", made.TaxID, err)
			}
		})
	}
}

// E7: a text in another language is written where the file has one, also where it is the same in the
// base language, and nowhere else: the file of a shop with another default language repeats this
// one's text. An empty object stays one.
func TestE7_ImportBelowTheRulesWritesOwnTexts(t *testing.T) {
	t.Parallel()
	sh := newShop(t, memory.New())
	const rows = `{"category_id":"7","category":"Tassen","selected_views":{},"category@en":"Mugs","category@de":"Tassen","category@fr":null,"category@it":""}
{"category_id":"8","category":"Deko","selected_views":[],"category@en":"Deko","category@de":"Deko","category@fr":null,"category@it":null}
{"category_id":"9","category":"Vasen","selected_views":{"a":{}},"category@en":"Vases","category@de":"Vasen","category@fr":null,"category@it":null,"description":"Aus Ton","description@en":null,"description@de":"Aus Ton"}
`
	if report, problems, err := importFile(t, sh, "categories", rows, files.ImportOptions{}); err != nil || report.Created != 3 || len(problems) > 0 {
		t.Fatalf("%+v, %v, %v", report, problems, err)
	}
	var lines bytes.Buffer
	fields := []string{"category", "description", "selected_views", "category@en", "category@de", "category@fr", "category@it"}
	if err := files.Export(t.Context(), &lines, sh.API, "categories", &files.ExportOptions{ExportOptions: bulk.ExportOptions{Fields: fields}}); err != nil {
		t.Fatal(err)
	}
	const want = `{"category_id":"7","category":"Mugs","selected_views":{},"description":"","category@en":"Mugs","category@de":"Tassen","category@fr":null,"category@it":null}
{"category_id":"8","category":"Deko","selected_views":[],"description":"","category@en":"Deko","category@de":"Deko","category@fr":null,"category@it":null}
{"category_id":"9","category":"Vases","selected_views":{"a":{}},"description":"","category@en":"Vases","category@de":"Vasen","category@fr":null,"category@it":null}
`
	if diff := gocmp.Diff(want, lines.String()); diff != "" {
		t.Error(diff)
	}
}

// E7: rows are imported by the rules where an entity has objects, where rows have no ids, and by
// another field than the id.
func TestE7_ImportByTheRules(t *testing.T) {
	t.Parallel()
	sh := withCustom(t)
	if _, err := sh.Categories.Create(t.Context(), categories.Category{Summary: categories.Summary{Name: "Mugs", CompanyID: 1}}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		entity, file string
		o            files.ImportOptions
	}{
		{"categories", `{"category_id":7,"category":"Bowls"}`, files.ImportOptions{}},
		{"taxes", `{"tax":"VAT"}`, files.ImportOptions{}},
		{"taxes", `{"tax_id":7,"tax":"VAT"}` + "\n" + `{"tax":"Toll"}`, files.ImportOptions{}},
		{"products", `{"product_id":7,"product_code":"A"}`, files.ImportOptions{Match: "product_code"}},
		{"settings", `{"object_id":1,"value":"A"}`, files.ImportOptions{}},
		{"things", `{"thing_id":1}`, files.ImportOptions{}},
	} {
		if _, _, err := importFile(t, sh, tc.entity, tc.file, tc.o); !errors.Is(err, pull.ErrByRules) {
			t.Errorf("%s %s: %v", tc.entity, tc.file, err)
		}
	}
	if got := exportLines(t, sh, "taxes"); got != "" {
		t.Errorf("there are taxes: %s", got)
	}
}

// E7: rows that cannot be written are reported with their lines, and other rows are written. Of a
// file that is cut nothing is.
func TestE7_ImportBelowTheRulesReports(t *testing.T) {
	t.Parallel()
	sh := withCustom(t)
	const rows = `{"tax_id":7,"tax":"VAT","colour":"red"}
{"tax_id":7,"tax":"Toll"}
{"tax_id":-1,"tax":"Toll"}
{"tax_id":8,"tax":"Toll","priority":"high"}
nothing
`
	if _, _, err := importFile(t, sh, "taxes", rows+`{"tax_id":9,"ta`, files.ImportOptions{}); err == nil || exportLines(t, sh, "taxes") != "" {
		t.Errorf("a cut file: %v, %s", err, exportLines(t, sh, "taxes"))
	}
	report, problems, err := importFile(t, sh, "taxes", rows, files.ImportOptions{})
	if diff := gocmp.Diff(files.Report{Rows: 5, Created: 2, Failed: 3, UnknownColumns: []string{"colour"}}, report); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
	if diff := gocmp.Diff([]string{
		"2 tax_id: is that of another object", "3 tax_id: is no id: the object was not taken",
		"4 priority: is no whole number", "5 : The line must be a JSON object.",
	}, without(problems, "rates")); diff != "" {
		t.Error(diff)
	}
	if got, err := sh.Taxes.Get(t.Context(), 8); err != nil || got.Status != "A" {
		t.Errorf("a tax without a status is %+v, %v", got, err)
	}
}

// E7: an id that leaves no ids for new objects, a parent that is not there and a password are
// reported.
func TestE7_ImportBelowTheRulesReportsIDsParentsAndPasswords(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		entity, file string
		want         []string
	}{
		{"taxes", `{"tax_id":"9223372036854775807","tax":"VAT"}` + "\n" + `{"tax_id":"4611686018427387904","tax":"Toll"}`,
			[]string{"1 tax_id: is too large: new objects get ids above it. The object was not taken"}},
		{"categories", `{"category_id":7,"category":"Mugs","parent_id":99}` + "\n" + `{"category_id":8,"category":"Bowls","parent_id":7}`,
			[]string{"1 parent_id: leads to 99, which is not there or lies below it: it stands at the top now"}},
		{"users", `{"user_id":7,"email":"a@example.com","user_type":"C","password":"correct horse"}` + "\n" + `{"user_id":8,"email":"b@example.com","user_type":"C","password":""}`,
			[]string{"1 password: is not written into a new shop: set it afterwards"}},
	} {
		sh := newShop(t, memory.New())
		_, problems, err := importFile(t, sh, tc.entity, tc.file, files.ImportOptions{})
		if diff := gocmp.Diff(tc.want, problems); err != nil || diff != "" {
			t.Errorf("%s: %v, %s", tc.entity, err, diff)
		}
	}
}

// E7: a field that the file lacks has the default of a new object. The default company is one, except for
// users; the time of the last change is the time of creation. Categories count the products that are
// imported after them.
func TestE7_ImportBelowTheRulesDefaults(t *testing.T) {
	t.Parallel()
	sh := newShop(t, memory.New())
	for _, file := range []struct{ entity, rows string }{
		{"categories", `{"category_id":7,"category":"Mugs","timestamp":"1700000000"}` + "\n" + `{"category_id":8,"category":"Bowls","product_count":5}`},
		{"products", `{"product_id":7,"product":"Mug","price":"9.50","category_ids":[7]}`},
		{"users", `{"user_id":7,"email":"a@example.com","user_type":"A"}`},
	} {
		if report, problems, err := importFile(t, sh, file.entity, file.rows, files.ImportOptions{}); err != nil || report.Failed > 0 || len(problems) > 0 {
			t.Fatalf("%s: %+v, %v, %v", file.entity, report, problems, err)
		}
	}
	if _, err := sh.Products.Update(t.Context(), 7, func(p *products.Product) error {
		p.Name = "Large mug"
		return nil
	}); err != nil {
		t.Error(err)
	}
	var got []string
	for _, id := range []int64{7, 8} {
		c, err := sh.Categories.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(c.Name, " of ", c.CompanyID, " has ", c.ProductCount))
		if id == 7 && c.UpdatedAt != 1700000000 {
			t.Errorf("the last change is at %d", c.UpdatedAt)
		}
	}
	user, err := sh.Users.Get(t.Context(), 7)
	got = append(got, fmt.Sprint("user of ", user.CompanyID))
	if diff := gocmp.Diff([]string{"Mugs of 1 has 1", "Bowls of 1 has 0", "user of 0"}, got); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
}

// E7: 0 is a text of an invoice in a file, where other servers have it for none.
func TestE7_ImportBelowTheRulesWritesNumbersOfInvoices(t *testing.T) {
	t.Parallel()
	sh := newShop(t, memory.New())
	const rows = `{"order_id":"7","status":"O","email":"a@example.com","invoice_id":"0","credit_memo_id":null}` + "\n"
	if _, problems, err := importFile(t, sh, "orders", rows, files.ImportOptions{}); err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	if got := exportLines(t, sh, "orders"); !strings.Contains(got, `"invoice_id":"0"`) || !strings.Contains(got, `"credit_memo_id":null`) {
		t.Errorf("the order is %s", got)
	}
}

// E7, §16: ids of new image pairs follow the imported ones, also where one of these is above 2^31.
func TestE7_ImportedImagePairsKeepTheirIDs(t *testing.T) {
	t.Parallel()
	sh := newShop(t, memory.New())
	const rows = `{"product_id":1,"product":"Mug","main_pair":{"pair_id":"5","detailed_id":"9","detailed":{"image_path":"https://shop.example/1.jpg"}}}
{"product_id":2,"product":"Cup","main_pair":{"pair_id":"2147483655","detailed_id":"10","detailed":{"image_path":"https://shop.example/2.jpg"}}}
`
	if _, problems, err := importFile(t, sh, "products", rows, files.ImportOptions{}); err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	p, err := sh.Products.Update(t.Context(), 1, func(p *products.Product) error {
		p.ImagePairs = images.Pairs{{Detailed: images.Image{Path: "https://shop.example/3.jpg"}}}
		return nil
	})
	if err != nil || len(p.ImagePairs) != 1 || p.ImagePairs[0].PairID != 6 {
		t.Errorf("the new pairs are %+v, %v", p.ImagePairs, err)
	}
}

// E7: texts are imported in the languages that the file has them in, whatever language is the default
// one: also a text that is the same in two languages, and none where the file has none.
func TestE7_ImportBelowTheRulesInLanguages(t *testing.T) {
	t.Parallel()
	made := func() *shop.Shop {
		sh := newShop(t, memory.New())
		for _, code := range []string{"de", "fr"} {
			if _, err := files.Import(t.Context(), strings.NewReader(`{"lang_code":"`+code+`","name":"`+code+`"}`), sh.API, "languages", nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := sh.Settings.Set(t.Context(), 0, shopapi.SettingDefaultLanguage, "de"); err != nil {
			t.Fatal(err)
		}
		return sh
	}
	old := made()
	for _, name := range []string{"Tee", "Becher"} { // in German and in English
		if _, err := old.Categories.Create(t.Context(), categories.Category{Summary: categories.Summary{Name: name, CompanyID: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := old.Categories.Update(shopapi.WithLanguage(t.Context(), "en"), 2, func(c *categories.Category) error {
		c.Name = "Mugs"
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := exportLines(t, old, "categories", "de", "en", "fr")
	for _, text := range []string{`"category@de":"Tee","category@en":"Tee","category@fr":null`, `"category@de":"Becher","category@en":"Mugs","category@fr":null`} {
		if !strings.Contains(want, text) {
			t.Fatal(want)
		}
	}
	sh := made()
	if _, problems, err := importFile(t, sh, "categories", want, files.ImportOptions{}); err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	if diff := gocmp.Diff(want, exportLines(t, sh, "categories", "de", "en", "fr")); diff != "" {
		t.Error(diff)
	}
}

// E7: objects that are made while the file is read have the file imported by the rules.
func TestE7_ImportFindsNewObjects(t *testing.T) {
	t.Parallel()
	sh := newShop(t, memory.New())
	file := &seenFile{Reader: strings.NewReader(`{"user_id":"5","email":"b@example.com","user_type":"C"}` + "\n"), seen: func() {
		for _, email := range []string{"x@example.com", "y@example.com"} {
			u := sh.Users.Defaults(t.Context())
			u.Email, u.UserType = email, shopapi.Customer
			if _, err := sh.Users.Create(t.Context(), u, ""); err != nil {
				t.Error(err)
			}
		}
	}}
	if _, err := pull.Import(t.Context(), sh, "users", file, &files.ImportOptions{}); !errors.Is(err, pull.ErrByRules) {
		t.Errorf("error %v", err)
	}
	if got := exportLines(t, sh, "users"); strings.Count(got, "\n") != 2 || strings.Contains(got, "b@example.com") {
		t.Errorf("the users are %s", got)
	}
}

// A seenFile calls a function before it is read.
type seenFile struct {
	*strings.Reader
	seen func()
}

func (f *seenFile) Seek(offset int64, whence int) (int64, error) {
	if f.seen != nil {
		f.seen()
		f.seen = nil
	}
	return f.Reader.Seek(offset, whence)
}

// without leaves out problems of a field.
func without(problems []string, field string) (left []string) {
	for _, p := range problems {
		if !strings.Contains(p, " "+field+":") {
			left = append(left, p)
		}
	}
	return left
}

// E7: what every new shop has gives way. The administrator of the new shop goes on as the imported
// user of the same address, or with another id.
func TestE7_ImportReplacesWhatANewShopHas(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		email, want string
		key         int64 // id of the user with the key
	}{
		{"ROOT@example.com", "1 root@example.com, 5 b@example.com", 1},
		{"own@example.com", "1 root@example.com, 5 b@example.com, 6 own@example.com", 6},
	} {
		st := memory.New()
		if err := users.EnsureRootKey(t.Context(), st, tc.email, "a-key-of-some-length-1"); err != nil {
			t.Fatal(err)
		}
		sh, err := shop.New(t.Context(), st, nil)
		if err != nil {
			t.Fatal(err)
		}
		const rows = `{"user_id":"1","email":"root@example.com","user_type":"A","is_root":"Y","status":"A","fields":[]}
{"user_id":"5","email":"b@example.com","user_type":"C","status":"A"}
`
		if report, problems, err := importFile(t, sh, "users", rows, files.ImportOptions{}); err != nil || report.Created != 2 || len(problems) > 0 {
			t.Fatalf("%+v, %v, %v", report, problems, err)
		}
		var got []string
		for u, err := range sh.Users.All(t.Context(), users.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(u.UserID, " ", u.Email))
		}
		if strings.Join(got, ", ") != tc.want {
			t.Errorf("%s: %v, want %s", tc.email, got, tc.want)
		}
		if cell(t, st, "users", "api_key_hash", tc.key).Text() == "" {
			t.Errorf("%s: the user %d has no key", tc.email, tc.key)
		}
	}
	sh, err := shop.New(t.Context(), memory.New(), &shop.Options{Options: shopapi.Options{DefaultLanguage: "de"}})
	if err != nil {
		t.Fatal(err)
	}
	const rows = `{"status_id":"40","status":"C","description":"Sent","params":{"inventory":"D"}}` + "\n"
	if _, problems, err := importFile(t, sh, "statuses", rows, files.ImportOptions{}); err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	if got := exportLines(t, sh, "statuses"); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"description":"Sent"`) {
		t.Errorf("the statuses are %s", got)
	}
	if _, _, err := importFile(t, sh, "statuses", rows, files.ImportOptions{}); !errors.Is(err, pull.ErrByRules) {
		t.Errorf("statuses that a new shop does not have: %v", err)
	}
}
