package files_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/extensions/files"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
)

// openCustom opens a shop with jobs and custom fields, with the category 1 and the product 1.
func openCustom(t *testing.T) *jobShop {
	t.Helper()
	margin := shopapi.CustomField{Name: "x_margin", Type: shopapi.CustomAmount, View: "view_margins"}
	s := openJobs(t, memory.New(), t.TempDir(), "", shopapi.Options{
		CustomFields: map[string][]shopapi.CustomField{
			"products": {
				{Name: "x_rank", Type: shopapi.CustomNumber},
				{Name: "x_supplier", Type: shopapi.CustomText},
				{Name: "x_care", Type: shopapi.CustomText, Translated: true},
				{Name: "x_season", Type: shopapi.CustomOneOf, OneOf: []string{"summer", "winter"}},
				margin,
			},
			"categories": {{Name: "x_rank", Type: shopapi.CustomNumber}},
			"taxes":      {margin, {Name: "x_limit", Type: shopapi.CustomAmount, Set: "set_limits"}},
		},
		CustomerFields: []shopapi.CustomField{{Name: "b_district", Type: shopapi.CustomText}},
	})
	s.wants("POST", "categories", `{"category": "Mugs"}`, 201, "")
	s.wants("POST", "products", `{"product": "Mug", "product_code": "MUG-1", "price": 1, "category_ids": [1]}`, 201, "")
	return s
}

// wants makes a JSON request, and checks the status and that the body has a part.
func (s *jobShop) wants(method, path, body string, status int, part string) {
	s.Helper()
	w := s.do(method, path, body, "Content-Type", "application/json")
	if w.Code != status || !strings.Contains(w.Body.String(), part) {
		s.Errorf("%s %s: %d %s, want %d with %s", method, path, w.Code, w.Body, status, part)
	}
}

// E13: import has the fields of the host, in each form of file.
func TestE13_ImportHasTheFields(t *testing.T) {
	t.Parallel()
	s := openCustom(t)
	const csv, lines = "text/csv", "application/x-ndjson"
	shown := "products/1?fields=amount,x_rank,x_supplier,x_care,x_season,x_margin"
	for _, tc := range []struct{ query, mediaType, file, show, want string }{
		{"products&match=product_code", csv, "product_code,amount,x_rank\nMUG-1,5,7\n", shown, `"amount":"5","x_rank":"7"`},
		{"products&match=product_code", csv, "product_code,x_rank\nMUG-1,8\n", shown, `"x_rank":"8"`},
		{"products", csv, "product_id,x_supplier,x_season,x_margin\n1,\"[1,2]\",winter,-4.5\n", shown, `"x_supplier":"[1,2]","x_care":null,"x_season":"winter","x_margin":"-4.50"`},
		{"products&match=product_code", lines, `{"product_code":"MUG-1","x_rank":9,"x_supplier":"Acme","x_margin":"2.50"}`, shown, `"x_rank":"9","x_supplier":"Acme","x_care":null,"x_season":"winter","x_margin":"2.50"`},
		{"products", csv, "product_id,x_care,x_care@de\n1,Wash cold,Kalt waschen\n", shown + "&sl=de", `"x_care":"Kalt waschen"`},
		{"products", csv, "product_id,x_care@en\n1,Wash hot\n", shown, `"x_care":"Wash hot"`},
		{"products", csv, "product_id,amount,x_rank,x_care@de\n1,6,,\n", shown + "&sl=de", `"x_rank":"9","x_supplier":"Acme","x_care":"Kalt waschen"`},
		{"products&empty=clear", csv, "product_id,x_rank,x_supplier,x_season,x_care@de\n1,,,,\n", shown + "&sl=de", `"x_rank":null,"x_supplier":null,"x_care":"Wash hot","x_season":null`},
		{"products", lines, `{"product_id":1,"x_care@en":null,"x_margin":null}`, shown, `"x_care":null,"x_season":null,"x_margin":null`},
		{"products&match=product_code&missing=create", csv, "product_code,product,category_ids,x_rank,x_care@de\nMUG-2,Cup,[1],3,Kalt\n", "products/2?sl=de&fields=x_rank,x_care", `"x_rank":"3","x_care":"Kalt"`},
		{"categories", csv, "category_id,x_rank\n1,4\n", "categories/1", `"x_rank":"4"`},
		{"users", csv, "user_id,b_district\n1,North\n", "users/1", `"b_district":"North"`},
	} {
		job := s.ended(s.post("import="+tc.query, tc.mediaType, tc.file))
		if job.Status != files.Completed || job.Updated+job.Created != 1 || len(job.UnknownColumns) > 0 {
			t.Errorf("%s: the job is %+v", tc.file, job)
		}
		s.wants("GET", tc.show, "", 200, tc.want)
		if again := s.ended(s.post("import="+tc.query, tc.mediaType, tc.file)); again.Unchanged != 1 {
			t.Errorf("%s again: the job is %+v", tc.file, again)
		}
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte("product_id,x_rank\n1,11\n"))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if job := s.ended(s.post("import=products", csv, packed.String(), "Content-Encoding", "gzip")); job.Updated != 1 {
		t.Errorf("a packed file: the job is %+v", job)
	}
	s.wants("GET", shown, "", 200, `"x_rank":"11"`)
	job := s.ended(s.post("import=products", csv, "product_id,x_rank,x_care@de,x_rank@de\n1,much,"+strings.Repeat("a", 300)+",1\n"))
	if diff := cmp.Diff([]string{"x_rank@de"}, job.UnknownColumns); job.Failed != 1 || diff != "" {
		t.Errorf("the job is %+v: %s", job, diff)
	}
	s.wants("GET", "jobs/"+job.JobID+"/errors", "", 200, `"field":"x_rank"`)
}

// E13: to callers without the privilege to see a field it does not exist in files, and a field that
// they may not set is not read.
func TestE13_ImportWithoutThePrivilege(t *testing.T) {
	t.Parallel()
	s := openCustom(t)
	s.wants("POST", "taxes", `{"tax": "VAT", "x_margin": "1.00", "x_limit": "2.00"}`, 201, "")
	_, clerk := s.addClerk()
	w := s.do("POST", "jobs?import=taxes", "tax_id,priority,x_margin,x_limit\n1,3,9,9\n", "Content-Type", "text/csv", "Authorization", clerk)
	if w.Code != 202 {
		t.Fatal(w.Code, w.Body)
	}
	job := s.ended(strings.TrimPrefix(w.Header().Get("Location"), "/api/2.0/jobs/"))
	if diff := cmp.Diff([]string{"x_margin"}, job.UnknownColumns); job.Updated != 1 || diff != "" {
		t.Errorf("the job is %+v: %s", job, diff)
	}
	s.wants("GET", "taxes/1?fields=priority,x_margin,x_limit", "", 200, `"priority":"3","x_margin":"1.00","x_limit":"2.00"`)
}

// E13: files have the fields of addresses of customers by their own names. An import reads them by
// these, and in the field in which answers have them.
func TestE13_FilesHaveTheFieldsOfCustomers(t *testing.T) {
	t.Parallel()
	sh, err := shop.New(t.Context(), memory.New(), &shop.Options{Options: shopapi.Options{
		CustomerFields: []shopapi.CustomField{{Name: "b_district", Type: shopapi.CustomText}, {Name: "s_district", Type: shopapi.CustomText}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	export := func(o bulk.ExportOptions) string {
		var file bytes.Buffer
		if err := files.Export(t.Context(), &file, sh.API, "users", &files.ExportOptions{ExportOptions: o}); err != nil {
			t.Fatal(err)
		}
		return file.String()
	}
	for _, step := range []struct{ file, billing, shipping string }{
		{`{"email":"a@example.com","user_type":"C","company_id":1,"fields":{"b_district":"North"}}`, `"North"`, "null"},
		{`{"user_id":1,"fields":{"b_district":"East","s_district":"West"}}`, `"East"`, `"West"`},
		{`{"user_id":1,"fields":[]}`, `"East"`, `"West"`},
		{`{"user_id":1,"b_district":"South","fields":{"b_district":"East"}}`, `"South"`, `"West"`},
		{`{"user_id":1,"b_district":null}`, "null", `"West"`},
	} {
		report, err := files.Import(t.Context(), strings.NewReader(step.file+"\n"), sh.API, "users", nil)
		if err != nil || report.Failed > 0 || len(report.UnknownColumns) > 0 {
			t.Fatalf("%s: %+v, %v", step.file, report, err)
		}
		want := `,"b_district":` + step.billing + `,"s_district":` + step.shipping
		if got := export(bulk.ExportOptions{}); !strings.Contains(got, want) || strings.Contains(got, `"fields"`) {
			t.Errorf("%s: %s", step.file, got)
		}
	}
	for _, c := range []struct {
		o    bulk.ExportOptions
		want string
	}{
		{bulk.ExportOptions{Fields: []string{"s_district"}}, `{"user_id":"1","s_district":"West"}` + "\n"},
		{bulk.ExportOptions{Fields: []string{"fields", "status"}}, `{"user_id":"1","status":"A","b_district":null,"s_district":"West"}` + "\n"},
		{bulk.ExportOptions{Fields: []string{"status"}}, `{"user_id":"1","status":"A"}` + "\n"},
		{bulk.ExportOptions{CSV: true, Fields: []string{"b_district", "s_district", "status"}}, "user_id,status,b_district,s_district\r\n1,A,,West\r\n"},
	} {
		if diff := cmp.Diff(c.want, export(c.o)); diff != "" {
			t.Errorf("%v: %s", c.o.Fields, diff)
		}
	}
	if got, _, _ := strings.Cut(export(bulk.ExportOptions{CSV: true, Fields: []string{"*"}}), "\r\n"); !strings.Contains(got, ",b_district,s_district") || strings.Contains(got, "fields") {
		t.Errorf("the columns are %s", got)
	}
}
