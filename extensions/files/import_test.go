package files_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/extensions/files"
	_ "github.com/shopapi/shopapi/internal/fasttest"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
)

// newShop opens a shop with the product MUG-1, which has the id 1, in category 1.
func newShop(t *testing.T) *shop.Shop {
	t.Helper()
	sh, err := shop.New(t.Context(), memory.New(), nil)
	if err != nil {
		t.Fatal(err)
	}
	category := sh.Categories.Defaults(t.Context())
	category.Name = "Mugs"
	if category, err = sh.Categories.Create(t.Context(), category); err != nil {
		t.Fatal(err)
	}
	p := sh.Products.Defaults(t.Context())
	p.Name, p.Code, p.Amount, p.CategoryIDs = "Mug", "MUG-1", 5, []int64{category.CategoryID}
	if _, err := sh.Products.Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return sh
}

// importText imports a text, and returns the report and the problems of rows, a line each.
func importText(t *testing.T, sh *shop.Shop, entity, text string, o files.ImportOptions) (files.Report, string, error) {
	t.Helper()
	var problems strings.Builder
	o.Problem = func(p files.RowProblem) { fmt.Fprintf(&problems, "%d %s: %s\n", p.Line, p.Field, p.Message) }
	report, err := files.Import(t.Context(), strings.NewReader(text), sh.API, entity, &o)
	return report, problems.String(), err
}

func product(t *testing.T, sh *shop.Shop, id int64) products.Product {
	t.Helper()
	p, err := sh.Products.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func ExampleImport() {
	ctx := context.Background()
	sh, err := shop.New(ctx, memory.New(), nil)
	if err != nil {
		panic(err)
	}
	file := strings.NewReader("tax,priority\nVAT,1\nToll,first\n")
	report, err := files.Import(ctx, file, sh.API, "taxes", &files.ImportOptions{
		CSV:     true,
		Problem: func(p files.RowProblem) { fmt.Printf("line %d: %s %s\n", p.Line, p.Field, p.Message) },
	})
	fmt.Println(report.Rows, report.Created, report.Failed, err)
	err = files.Export(ctx, os.Stdout, sh.API, "taxes", &files.ExportOptions{ExportOptions: bulk.ExportOptions{Fields: []string{"tax"}}})
	if err != nil {
		panic(err)
	}
	// Output:
	// line 3: priority must be a whole number, not "first"
	// 2 1 1 <nil>
	// {"tax_id":"1","tax":"VAT"}
}

// E7: what a CSV file may look like, and which errors a wrong file has.
func TestE7_ImportReadsCSV(t *testing.T) {
	t.Parallel()
	const head = "product_code,product,category_ids,price\n"
	const good = "A,Cup,[1],4.50\n"
	for name, tc := range map[string]struct {
		file     string
		options  files.ImportOptions
		created  int64
		product  string // name of the new product
		problems string
		err      string
	}{
		"plain":             {file: head + good, created: 1, product: "Cup"},
		"windows":           {file: strings.ReplaceAll(head+good, "\n", "\r\n"), created: 1, product: "Cup"},
		"byte order mark":   {file: "\uFEFF" + head + good, created: 1, product: "Cup"},
		"semicolons":        {file: strings.ReplaceAll(head+good, ",", ";"), created: 1, product: "Cup"},
		"tabs":              {file: strings.ReplaceAll(head+good, ",", "\t"), created: 1, product: "Cup"},
		"no last line end":  {file: head + strings.TrimSuffix(good, "\n"), created: 1, product: "Cup"},
		"quotes":            {file: head + "A,\"Cup \"\"one\"\", \r\nred\",\"[1]\",4\n", created: 1, product: "Cup \"one\", \r\nred"},
		"list with commas":  {file: head + "A,Cup,\"1,x\",4\n", problems: "2 category_ids: must be a whole number, not \"x\"\n"},
		"empty lines":       {file: head + "\n\n" + good, created: 1, product: "Cup"},
		"unknown column":    {file: "colour," + head + "red," + good, created: 1, product: "Cup"},
		"missing column":    {file: "product_code,price\nA,4\n", problems: "2 product: is required: the name of the product\n2 category_ids: is required: the ids of the categories that the product stands in\n"},
		"cells missing":     {file: head + "A,Cup\n" + good, created: 1, product: "Cup", problems: "2 : The row has 2 cells, and there are 4 columns.\n"},
		"text after quotes": {file: head + "A,\"Cup\" red,[1],4\n" + good, created: 1, product: "Cup", problems: "2 : The row cannot be read: text follows the closing quotation mark of a cell: a quotation mark inside a cell must be doubled.\n"},
		"not UTF-8":         {file: head + "A,C\xffp,[1],4\n" + good, created: 1, product: "Cup", problems: "2 product: must be valid UTF-8 without NUL characters\n"},
		"NUL":               {file: head + "A,C\x00p,[1],4\n" + good, created: 1, product: "Cup", problems: "2 product: must be valid UTF-8 without NUL characters\n"},
		"too many cells":    {file: head + "A,Cup,[1,2],4\n", problems: "2 : The row has 5 cells, and there are 4 columns.\n"},
		"wrong JSON":        {file: head + "A,Cup,[1,4.50\n", problems: "2 category_ids: is not valid JSON: lists and objects are written as JSON, such as [1,2]\n"},
		"several lines":     {file: head + "A,\"Cup\nof\nclay\",[1],x\n" + "B,,[1],4\n", problems: "2 price: must be a number such as 12.50, not \"x\"\n5 product: is required: the name of the product\n"},
		"formula":           {file: head + "A,'=1+1,[1],4\n", created: 1, product: "'=1+1"},
		"marked formula":    {file: head + "A,'=1+1,[1],4\n", options: files.ImportOptions{Spreadsheet: true}, created: 1, product: "=1+1"},
		"a text like JSON":  {file: head + "A,[Cup],[1],4\n", created: 1, product: "[Cup]"},
		"cut in a quote":    {file: head + good + "B,\"Cup,[1],4\n", created: 1, product: "Cup", err: "line 3: the file ends within a quoted cell of the row that begins here"},
		"empty":             {file: "", err: "line 1: the file has no row with the names of columns"},
		"lines end in CR":   {file: "product_code,product,price\rA,Cup,4\rB,Jug,5\r", err: "line 1: the lines must end in LF or CR LF, not in CR alone"},
		"column twice":      {file: "product,product\nA,B\n", err: `line 1: the column "product" is there twice`},
		"no column known":   {file: "name,colour\nA,B\n", err: "line 1: no column has the name of a field: the first row must have the names of fields, such as in an export"},
		"match alone":       {file: "product_id,colour\nA,B\n", err: "line 1: no column has the name of a field but product_id: the first row must have the names of fields, such as in an export"},
		"no match":          {file: "product\nCup\n", options: files.ImportOptions{Match: "product_code"}, err: "line 1: there is no column product_code, whose values name the objects"},
		"long row":          {file: head + "A," + strings.Repeat("x", 8<<20) + ",[1],4\n" + good, created: 1, product: "Cup", problems: "2 : The row has more than 8 MiB.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sh := newShop(t)
			tc.options.CSV = true
			report, problems, err := importText(t, sh, "products", tc.file, tc.options)
			if got := fmt.Sprint(err); err == nil && tc.err != "" || err != nil && got != tc.err {
				t.Errorf("the error is %v, want %s", err, tc.err)
			}
			if problems != tc.problems {
				t.Errorf("the problems are\n%s, want\n%s", problems, tc.problems)
			}
			if report.Created != tc.created || report.Rows != report.Created+report.Failed {
				t.Errorf("the report is %+v", report)
			}
			if tc.product != "" {
				if got := product(t, sh, 2); got.Name != tc.product {
					t.Errorf("the product is %q, want %q", got.Name, tc.product)
				}
			}
		})
	}
}

// E7: what JSON lines may look like, and which errors wrong lines have.
func TestE7_ImportReadsJSONLines(t *testing.T) {
	t.Parallel()
	const good = `{"product":"Cup","category_ids":[1],"price":4.5}` + "\n"
	for name, tc := range map[string]struct {
		file     string
		created  int64
		problems string
		err      string
	}{
		"plain":            {file: good + good, created: 2},
		"mark and windows": {file: "\uFEFF" + strings.ReplaceAll(good+"\n"+good, "\n", "\r\n"), created: 2},
		"no last line end": {file: good + strings.TrimSuffix(good, "\n"), created: 2},
		"cut":              {file: good + `{"product":"C`, created: 1, err: "line 2: the file ends within the JSON value that begins here"},
		"no object":        {file: good + "[1]\n" + good, created: 2, problems: "2 : The line must be a JSON object.\n"},
		"no JSON":          {file: good + "{product}\n" + good, created: 2, problems: "2 : The body is not valid JSON: invalid character 'p' looking for beginning of object key string at byte 2.\n"},
		"not UTF-8":        {file: good + "{\"product\":\"\xff\"}\n", created: 1, problems: "2 product: must be valid UTF-8 without NUL characters\n"},
		"NUL":              {file: good + `{"product":"\u0000"}` + "\n", created: 1, problems: "2 product: must not have NUL characters\n"},
		"list as id":       {file: good + `{"product_id":[1],"product":"Cup","category_ids":[1]}` + "\n", created: 1, problems: "2 product_id: must be a single value, not an array or an object\n"},
		"object as id":     {file: good + `{"product_id": {},"product":"Cup","category_ids":[1]}` + "\n", created: 1, problems: "2 product_id: must be a single value, not an array or an object\n"},
		"null as id":       {file: good + `{"product_id":null,"product":"Cup","category_ids":[1]}` + "\n", created: 2},
		"unknown alone":    {file: `{"name":"Cup"}` + "\n", err: "line 1: the first object has no field: its members must have the names of fields, such as in an export"},
		"long line":        {file: good + strings.Repeat("x", 9<<20) + "\n" + good, created: 2, problems: "2 : The row has more than 8 MiB.\n"},
		"empty":            {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report, problems, err := importText(t, newShop(t), "products", tc.file, files.ImportOptions{})
			if got := fmt.Sprint(err); err == nil && tc.err != "" || err != nil && got != tc.err {
				t.Errorf("the error is %v, want %s", err, tc.err)
			}
			if problems != tc.problems {
				t.Errorf("the problems are\n%s, want\n%s", problems, tc.problems)
			}
			if report.Created != tc.created {
				t.Errorf("the report is %+v", report)
			}
		})
	}
}

// E7: rows name objects by id or by another field, and what no object has is treated as
// missing says. A value twice is applied twice, in turn.
func TestE7_ImportMatches(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file     string
		options  files.ImportOptions
		want     files.Report
		problems string
		amount   int64
	}{
		"id":          {file: "product_id,amount\n1,7\n", want: files.Report{Rows: 1, Updated: 1}, amount: 7},
		"unchanged":   {file: "product_id,amount\n1,5\n", want: files.Report{Rows: 1, Unchanged: 1}, amount: 5},
		"no such id":  {file: "product_id,amount\n9,7\n1,7\n", want: files.Report{Rows: 2, Updated: 1, Failed: 1}, problems: "2 : There is no product with the id \"9\".\n", amount: 7},
		"skip an id":  {file: "product_id,amount\n9,7\n1,7\n", options: files.ImportOptions{Missing: "skip"}, want: files.Report{Rows: 2, Updated: 1}, amount: 7},
		"no id":       {file: "product_id,product,category_ids\n,Cup,1\n", want: files.Report{Rows: 1, Created: 1}, amount: 5},
		"code":        {file: "product_code,amount\nMUG-1,7\n", options: files.ImportOptions{Match: "product_code"}, want: files.Report{Rows: 1, Updated: 1}, amount: 7},
		"twice":       {file: "product_code,amount\nMUG-1,7\nMUG-1,8\n", options: files.ImportOptions{Match: "product_code"}, want: files.Report{Rows: 2, Updated: 2}, amount: 8},
		"no code":     {file: "product_code,amount\n,7\n", options: files.ImportOptions{Match: "product_code"}, want: files.Report{Rows: 1, Failed: 1}, problems: "2 product_code: is required: the value that names the object\n", amount: 5},
		"no such":     {file: "product_code,amount\nX,7\n", options: files.ImportOptions{Match: "product_code"}, want: files.Report{Rows: 1, Failed: 1}, problems: "2 product_code: is \"X\", which no object of products has\n", amount: 5},
		"skip a code": {file: "product_code,amount\nX,7\n", options: files.ImportOptions{Match: "product_code", Missing: "skip"}, want: files.Report{Rows: 1}, amount: 5},
		"create": {
			file:    "product_code,amount,product,category_ids\nX,7,Cup,1\nX,8,,\nMUG-1,9,,\n",
			options: files.ImportOptions{Match: "product_code", Missing: "create"}, want: files.Report{Rows: 3, Created: 1, Updated: 2}, amount: 9,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sh := newShop(t)
			tc.options.CSV = true
			report, problems, err := importText(t, sh, "products", tc.file, tc.options)
			if err != nil {
				t.Fatal(err)
			}
			tc.want.UnknownColumns = []string{}
			if diff := cmp.Diff(tc.want, report); diff != "" {
				t.Error(diff)
			}
			if problems != tc.problems {
				t.Errorf("the problems are\n%s, want\n%s", problems, tc.problems)
			}
			if got := product(t, sh, 1).Amount; got != tc.amount {
				t.Errorf("the stock is %d, want %d", got, tc.amount)
			}
		})
	}
}

// E7: users are named by their email, in either case, settings and langvars by their name.
func TestE7_ImportMatchesByOtherFields(t *testing.T) {
	t.Parallel()
	sh := newShop(t)
	for _, tc := range []struct {
		entity, match, file string
		want                files.Report
		problems            string
	}{
		{"users", "email", "email,user_type,company_id,firstname\nana@example.com,C,1,Ana\n", files.Report{Rows: 1, Created: 1}, ""},
		{"users", "email", "email,firstname\nANA@example.com,Anna\n", files.Report{Rows: 1, Updated: 1}, ""},
		{"settings", "name", "name,value\ncompany_name,Clay\nnone,1\n", files.Report{Rows: 2, Updated: 1, Failed: 1}, "3 name: is \"none\", which no object of settings has\n"},
		{"langvars", "name", "name,value,value@de\nhello,Hello,Hallo\n", files.Report{Rows: 1, Created: 1}, ""},
		{"langvars", "name", "name,value\nhello,Hi\nbye,Bye\n", files.Report{Rows: 2, Updated: 1, Failed: 1}, "3 name: is \"bye\", which no object of langvars has\n"},
		{"langvars", "", "name,value\nhello,Hi\nbye,Bye\n", files.Report{Rows: 2, Unchanged: 1, Failed: 1}, "3 name: is \"bye\", which no object of langvars has\n"},
	} {
		o := files.ImportOptions{CSV: true, Match: tc.match}
		if tc.want.Created > 0 {
			o.Missing = "create"
		}
		report, problems, err := importText(t, sh, tc.entity, tc.file, o)
		if err != nil {
			t.Fatal(err)
		}
		tc.want.UnknownColumns = []string{}
		if diff := cmp.Diff(tc.want, report); diff != "" || problems != tc.problems {
			t.Errorf("%s: %s%s", tc.entity, diff, problems)
		}
	}
	// A name that no variable has is missing: skip leaves it out, create makes it once.
	for _, missing := range []string{"skip", "create", "create"} {
		_, problems, err := importText(t, sh, "langvars", "name,value\nbye,Bye\nbye,Bye bye\n", files.ImportOptions{CSV: true, Missing: missing})
		if err != nil || problems != "" {
			t.Errorf("langvars, missing %s: %v %s", missing, err, problems)
		}
		v, err := sh.Langvars.Get(t.Context(), "bye")
		if wanted := missing == "create"; wanted != (err == nil) || wanted && v.Value != "Bye bye" {
			t.Errorf("langvars, missing %s: %+v, %v", missing, v, err)
		}
	}
	if v, err := sh.Langvars.Get(shopapi.WithLanguage(t.Context(), "de"), "hello"); err != nil || v.Value != "Hallo" {
		t.Errorf("the German text is %+v, %v", v, err)
	}
	if u, err := sh.Users.ByEmail(t.Context(), "ana@example.com"); err != nil || u.FirstName != "Anna" {
		t.Errorf("the user is %+v, %v", u, err)
	}
}

// E7: a dry run reports every problem with its line, and changes nothing.
func TestE7_DryRunChangesNothing(t *testing.T) {
	t.Parallel()
	sh := newShop(t)
	var file, want strings.Builder
	file.WriteString("product_id,product,category_ids,amount\n")
	for i := range 700 {
		switch line := i + 2; {
		case i%3 == 0:
			fmt.Fprintf(&file, "1,Cup,1,%d\n", i+100)
		case i%3 == 1:
			fmt.Fprintf(&file, ",Cup %d,1,\n", i)
		default:
			fmt.Fprintf(&file, ",,1,many\n")
			fmt.Fprintf(&want, "%d amount: must be a whole number, not \"many\"\n%d product: is required: the name of the product\n", line, line)
		}
	}
	report, problems, err := importText(t, sh, "products", file.String(), files.ImportOptions{CSV: true, DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(files.Report{Rows: 700, Created: 233, Updated: 234, Failed: 233, UnknownColumns: []string{}}, report); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want.String(), problems); diff != "" {
		t.Error(diff)
	}
	if p := product(t, sh, 1); p.Amount != 5 {
		t.Errorf("the stock is %d", p.Amount)
	}
	if _, n, err := sh.Products.Find(t.Context(), products.Filter{}); n != 1 || err != nil {
		t.Errorf("there are %d products, %v", n, err)
	}
	report, again, err := importText(t, sh, "products", file.String(), files.ImportOptions{CSV: true})
	if err != nil || report.Created != 233 || report.Failed != 233 {
		t.Errorf("the import did %+v, %v", report, err)
	}
	if diff := cmp.Diff(problems, again); diff != "" {
		t.Error(diff)
	}
}

// E7: an empty cell counts as not sent, or clears with EmptyClears.
func TestE7_EmptyCells(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file, description string
		clears            bool
		problems          string
	}{
		"not sent":       {file: "product_id,short_description,amount\n1,,6\n", description: "Clay"},
		"text":           {file: "product_id,short_description\n1,\n", clears: true},
		"no text":        {file: "product_id,amount,short_description\n1,,\n", description: "Clay", clears: true, problems: "2 amount: is empty, and cannot be cleared: leave the column out to keep its values\n"},
		"ignored fields": {file: "product_id,short_description,min_qty_raw,variation_features,timestamp_x\n1,,,,\n", clears: true},
		"a list as text": {file: "product_id,usergroup_ids,tax_ids\n1,,\n", description: "Clay", clears: true},
		"a text it must": {file: "product_id,product\n1,\n", description: "Clay", clears: true, problems: "2 product: is required: the name of the product\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sh := newShop(t)
			if _, err := sh.Products.Update(t.Context(), 1, func(p *products.Product) error { p.ShortDescription, p.UsergroupIDs = "Clay", "1,2"; return nil }); err != nil {
				t.Fatal(err)
			}
			_, problems, err := importText(t, sh, "products", tc.file, files.ImportOptions{CSV: true, EmptyClears: tc.clears})
			if err != nil || problems != tc.problems {
				t.Errorf("the problems are %s, %v, want %s", problems, err, tc.problems)
			}
			if p := product(t, sh, 1); name == "a list as text" && p.UsergroupIDs != "0" {
				t.Errorf("the user groups are %q", p.UsergroupIDs)
			}
			if p := product(t, sh, 1); p.ShortDescription != tc.description {
				t.Errorf("the text is %q, want %q", p.ShortDescription, tc.description)
			}
		})
	}
}

// E7: product@de is the text in German alone. An empty one removes it.
func TestE7_ImportTexts(t *testing.T) {
	t.Parallel()
	sh := newShop(t)
	german := func(want string) {
		t.Helper()
		p, err := sh.Products.Get(shopapi.WithLanguage(t.Context(), "de"), 1)
		if err != nil || p.Name != want {
			t.Errorf("the name is %q, %v, want %q", p.Name, err, want)
		}
	}
	for _, step := range []struct{ file, german string }{
		{"product_id,product@de\n1,Becher\n", "Becher"},
		{"product_id,product@de,amount\n1,,9\n", "Becher"},
		{`{"product_id":"1","product":"Mug","product@de":null,"product@en":"Mug"}`, "Mug"},
		{`{"product_id":"1","product@de":"Tasse"}`, "Tasse"},
	} {
		report, problems, err := importText(t, sh, "products", step.file, files.ImportOptions{CSV: step.file[0] != '{'})
		if err != nil || problems != "" || report.Updated != 1 {
			t.Errorf("%s: %+v, %s, %v", step.file, report, problems, err)
		}
		german(step.german)
	}
	_, _, err := importText(t, sh, "products", "product_id,product@de\n1,\n", files.ImportOptions{CSV: true, EmptyClears: true})
	if err != nil {
		t.Fatal(err)
	}
	german("Mug")
	_, problems, _ := importText(t, sh, "products", "product_id,product@de\n1,"+strings.Repeat("x", 300)+"\n", files.ImportOptions{CSV: true})
	if want := "2 product@de: must have at most 255 characters, not 300\n"; problems != want {
		t.Errorf("the problems are %s, want %s", problems, want)
	}
}

// E7: a compressed file that is cut keeps the whole rows before; a file that is not
// compressed is refused.
func TestE7_ImportReadsGzip(t *testing.T) {
	t.Parallel()
	pack := func(head, row string) string {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		io.WriteString(w, head)
		for i := range 20 {
			fmt.Fprintf(w, row, i)
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return packed.String()
	}
	lines, table := pack("", `{"product":"Cup %d","category_ids":[1]}`+"\n"), pack("product,category_ids\n", "Cup %d,1\n")
	for name, tc := range map[string]struct {
		file    string
		csv     bool
		created int64
		err     string
	}{
		"whole":    {lines, false, 20, ""},
		"cut":      {lines[:len(lines)-12], false, 20, "line 21: the compressed file is cut short"},
		"cut more": {lines[:len(lines)/2], false, 9, "line 10: the compressed file is cut short"},
		"table":    {table, true, 20, ""}, "cut table": {table[:len(table)-12], true, 20, "line 22: the compressed file is cut short"},
		"cut more of a table":  {table[:len(table)/2], true, 8, "line 10: the compressed file is cut short"},
		"cut in its first row": {table[:15], true, 0, "the compressed file is cut short"},
		"empty":                {"", false, 0, "the compressed file is cut short"},
		"plain":                {`{"product":"Cup","category_ids":[1]}`, false, 0, "the file is not what gzip writes, or it is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report, problems, err := importText(t, newShop(t), "products", tc.file, files.ImportOptions{Gzip: true, CSV: tc.csv})
			var wrong *files.FileError
			if err != nil && !errors.As(err, &wrong) || err == nil && tc.err != "" || err != nil && err.Error() != tc.err {
				t.Errorf("the error is %v, want %s", err, tc.err)
			}
			if problems != "" || report.Created != tc.created {
				t.Errorf("the report is %+v, %s", report, problems)
			}
		})
	}
}

// E7: invalid options are 400, and the error names the allowed values.
func TestE7_ImportOptions(t *testing.T) {
	t.Parallel()
	sh := newShop(t)
	for name, tc := range map[string]struct {
		entity string
		o      files.ImportOptions
		err    string
	}{
		"no entity":        {"things", files.ImportOptions{}, `import must be an entity whose objects can be listed and changed, not "things".`},
		"auth":             {"auth", files.ImportOptions{}, `import must be an entity whose objects can be listed and changed, not "auth".`},
		"match":            {"products", files.ImportOptions{Match: "price"}, `match must be one of product_id, product_code, not "price".`},
		"missing":          {"products", files.ImportOptions{Missing: "ignore"}, `missing must be one of fail, skip, create, not "ignore".`},
		"create by id":     {"products", files.ImportOptions{Missing: "create"}, "missing must be fail or skip where rows are matched by product_id: a row without it creates an object."},
		"create a setting": {"settings", files.ImportOptions{Match: "name", Missing: "create"}, "missing must be fail or skip: objects of settings cannot be created."},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := importText(t, sh, tc.entity, "{}", tc.o)
			var refused *shopapi.Error
			if !errors.As(err, &refused) || refused.Status != 400 || refused.Message != tc.err {
				t.Errorf("the error is %v, want %s", err, tc.err)
			}
		})
	}
	clerk := shopapi.WithUser(t.Context(), &shopapi.User{ID: 7, Type: shopapi.Administrator, Privileges: map[string]bool{"view_catalog": true}})
	_, err := files.Import(clerk, strings.NewReader(""), sh.API, "products", nil)
	var refused *shopapi.Error
	if !errors.As(err, &refused) || refused.Status != 403 {
		t.Errorf("the error is %v, want a 403", err)
	}
}

// E7: an import reads a few MiB ahead, also where the texts in a language are long.
func TestE7_ImportReadsLittleAhead(t *testing.T) {
	t.Parallel()
	sh := newShop(t)
	const rows, most = 60, 8 << 20
	text := strings.Repeat("x", 1<<20)
	for name, file := range map[string]struct{ head, row string }{
		"CSV":        {"product_code,product@de\n", "MUG-1," + text + "\n"},
		"JSON lines": {"", `{"product_code":"MUG-1","product@de":"` + text + `"}` + "\n"},
	} {
		rest, first := strings.NewReader(file.head+strings.Repeat(file.row, rows)), 0
		o := files.ImportOptions{CSV: name == "CSV", Match: "product_code", Progress: func(files.Report) {
			if first == 0 {
				first = int(rest.Size()) - rest.Len()
			}
		}}
		if _, err := files.Import(t.Context(), rest, sh.API, "products", &o); err != nil || first == 0 || first > most {
			t.Errorf("%s: %d bytes were read before the first transaction, want at most %d; %v", name, first, most, err)
		}
	}
}

// E7: a row of very many empty cells is an error of its row, and takes no memory for each.
func TestE7_ImportBoundsCells(t *testing.T) {
	t.Parallel()
	sh := newShop(t)
	commas := strings.Repeat(",", 1<<20)
	report, problems, err := importText(t, sh, "products", "product_code,price\nMUG-1,2"+commas+"\nMUG-1,3\n", files.ImportOptions{CSV: true, Match: "product_code"})
	if err != nil || report.Updated != 1 || !strings.HasPrefix(problems, "2 : The row cannot be read: it has more than 16384 cells.") {
		t.Errorf("%+v, %s, %v", report, problems, err)
	}
	var wrong *files.FileError
	if _, _, err := importText(t, sh, "products", "product_code,price"+commas+"\nMUG-1,4\n", files.ImportOptions{CSV: true, Match: "product_code"}); !errors.As(err, &wrong) {
		t.Errorf("a first row of as many columns: %v, want an error of the file", err)
	}
}
