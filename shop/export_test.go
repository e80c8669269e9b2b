package shop_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/bulk"
	"github.com/shopapi/shopapi/internal/csvtext"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
)

const (
	lines = "application/x-ndjson"
	table = "text/csv"
)

// openExporting opens a shop with rows of every entity that exports lists.
func openExporting(t *testing.T) (*shop.Shop, *apitest.Client) {
	t.Helper()
	o := fixtureOptions()
	o.Export, o.Compress = true, true
	s, err := shop.New(t.Context(), copied(t, memory.New(), openFixture(t, fixtures[len(fixtures)-1]+".db.gz")), o)
	if err != nil {
		t.Fatal(err)
	}
	return s, (&apitest.Client{T: t, Handler: s}).As(fixtureEmail, fixtureKey)
}

// objectsOf returns the objects of JSON lines, as compact JSON by id.
func objectsOf(t *testing.T, body, idField string) map[string]map[string]any {
	t.Helper()
	objects := map[string]map[string]any{}
	for line := range strings.Lines(body) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatalf("%v in %.200s", err, line)
		}
		objects[fmt.Sprint(object[idField])] = object
	}
	return objects
}

// E7: an export has the objects of the list, whole ones with fields=*, in both forms.
func TestE7_ExportsHaveAllObjectsOfLists(t *testing.T) {
	t.Parallel()
	s, c := openExporting(t)
	compared := 0
	for _, d := range s.Descriptions() {
		id := keyOf(d.Name, d.IDField)
		list := c.Get("/api/2.0/" + d.Name + "?items_per_page=1000")
		exported := c.Accepting(lines).Get("/api/2.0/" + d.Name)
		if list.Status == http.StatusMethodNotAllowed || list.Status == http.StatusNotFound {
			continue
		}
		if exported.Status != http.StatusOK || exported.Header.Get("Content-Type") != lines {
			t.Errorf("%s: status %d, %s; %.300s", d.Name, exported.Status, exported.Header.Get("Content-Type"), exported.Body)
			continue
		}
		objects := objectsOf(t, exported.Body, id)
		if list.Status == http.StatusOK && d.Shape != shopapi.KeyedList {
			want := map[string]map[string]any{}
			for _, item := range itemsOf(t, list.Body) {
				want[fmt.Sprint(item[id])] = item
			}
			if diff := cmp.Diff(want, objects); diff != "" {
				t.Errorf("%s (-list +export): %s", d.Name, diff)
			}
		}
		whole := objectsOf(t, c.Accepting(lines).Get("/api/2.0/"+d.Name+"?fields=*").Body, id)
		if len(whole) != len(objects) {
			t.Errorf("%s: %d whole objects, %d items", d.Name, len(whole), len(objects))
		}
		for id, object := range whole {
			var want map[string]any
			c.Get("/api/2.0/" + d.Name + "/" + url.PathEscape(id)).Decode(&want)
			if diff := cmp.Diff(want, object); diff != "" {
				t.Errorf("%s %s (-object +export): %s", d.Name, id, diff)
			}
			compared++
		}
		for _, fields := range []string{"", "?fields=*"} {
			rows := objects
			if fields != "" {
				rows = whole
			}
			checkCSV(t, d.Name+fields, c.Accepting(table).Get("/api/2.0/"+d.Name+fields), id, rows)
		}
	}
	if compared < 40 {
		t.Errorf("%d objects were compared", compared)
	}
}

// keyOf is the field of objects that addresses name them by.
func keyOf(entity, idField string) string {
	switch entity {
	case "vendors", "stores":
		return "company_id"
	case "settings":
		return "object_id"
	}
	return idField
}

// checkCSV checks that rows of CSV hold the values of objects.
func checkCSV(t *testing.T, name string, answer *apitest.Answer, idField string, want map[string]map[string]any) {
	t.Helper()
	if answer.Status != http.StatusOK || !strings.HasPrefix(answer.Header.Get("Content-Type"), table) {
		t.Errorf("%s: status %d, %s; %.300s", name, answer.Status, answer.Header.Get("Content-Type"), answer.Body)
		return
	}
	r := csvtext.NewReader(strings.NewReader(answer.Body), 1<<20)
	header, err := r.Read()
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	var columns []string
	for _, cell := range header {
		columns = append(columns, string(cell))
	}
	n := 0
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || len(cells) != len(columns) {
			t.Fatalf("%s: %v, %d cells", name, err, len(cells))
		}
		row := map[string]string{}
		for i, column := range columns {
			row[column] = string(cells[i])
		}
		object := want[row[idField]]
		for field, value := range object {
			cell, known := row[field]
			text, isText := value.(string)
			switch {
			case !known:
				t.Errorf("%s has no column %s", name, field)
			case value == nil && cell == "", isText && cell == text:
			default:
				var v any
				if err := json.Unmarshal([]byte(cell), &v); err != nil || !cmp.Equal(v, value) {
					t.Errorf("%s: %s is %q, want %v", name, field, cell, value)
				}
			}
		}
		n++
	}
	if n != len(want) {
		t.Errorf("%s: %d rows, want %d", name, n, len(want))
	}
}

// E7: page, items_per_page and sort_by are 400, and so is what a list refuses.
func TestE7_RefusedParameters(t *testing.T) {
	t.Parallel()
	_, c := openExporting(t)
	for query, field := range map[string]string{
		"page=1": "page", "items_per_page=5": "items_per_page", "sort_by=product": "sort_by", "status=X": "status", "spreadsheet=maybe": "spreadsheet",
	} {
		answer := c.Accepting(table).Get("/api/2.0/products?" + query)
		if answer.Status != http.StatusBadRequest || !strings.Contains(answer.Body, `"`+field+`"`) {
			t.Errorf("%s: %d %s", query, answer.Status, answer.Body)
		}
	}
	if answer := c.Accepting(table).Get("/api/2.0/products/1"); answer.Status != http.StatusNotAcceptable {
		t.Errorf("an object as CSV: %d", answer.Status)
	}
}

// E7: without the option an export is 406, and lists as JSON stay as they are with it.
func TestE7_OffIs406(t *testing.T) {
	t.Parallel()
	_, off := openFilled(t)
	_, on := openExporting(t)
	for _, accept := range []string{lines, table} {
		if answer := off.Accepting(accept).Get("/api/2.0/products"); answer.Status != http.StatusNotAcceptable {
			t.Errorf("%s: %d", accept, answer.Status)
		}
	}
	for _, accept := range []string{"", "*/*", "text/*", "application/json", "text/csv;q=0, */*"} {
		want, got := off.Accepting(accept).Get("/api/2.0/products"), on.Accepting(accept).Get("/api/2.0/products")
		if want.Body != got.Body || want.Status != got.Status {
			t.Errorf("%s: %d %.200s", accept, got.Status, got.Body)
		}
	}
}

// E7: an export shows a vendor what lists show a vendor, of rows without a company too.
func TestE7_VendorsExportWhatIsTheirs(t *testing.T) {
	t.Parallel()
	s, _ := openExporting(t)
	ctx := shopapi.WithUser(t.Context(), &shopapi.User{
		ID: 99, Type: shopapi.Vendor, CompanyID: 2, Privileges: map[string]bool{"view_catalog": true},
	})
	for _, entity := range []string{"products", "options", "combinations", "exceptions"} {
		var all, own bytes.Buffer
		if err := bulk.Export(t.Context(), &all, s.API, entity, nil); err != nil {
			t.Fatal(entity, err)
		}
		if err := bulk.Export(ctx, &own, s.API, entity, nil); err != nil {
			t.Fatal(entity, err)
		}
		for id := range objectsOf(t, own.String(), "product_id") {
			if _, err := s.Products.Get(ctx, mustID(t, id)); err != nil {
				t.Errorf("%s of the product %s: %v", entity, id, err)
			}
		}
		if all.Len() == 0 || own.Len() >= all.Len() {
			t.Errorf("%s: the vendor has %d bytes of %d", entity, own.Len(), all.Len())
		}
	}
}

func mustID(t *testing.T, id string) int64 {
	t.Helper()
	n, err := shopapi.ParseID("object", id)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// E7: field@lang is the text of that language itself.
func TestE7_TextsInEveryLanguage(t *testing.T) {
	t.Parallel()
	_, c := openExporting(t)
	c.Put("/api/2.0/products/1?sl=de", `{"product": "Becher"}`)
	c.Put("/api/2.0/products/1", `{"product": "=Mug"}`)
	body := c.Accepting(lines).Get("/api/2.0/products?sl=de&pid=1&fields=product,product@de,product@en,product@fr,price@de,nonsense").Body
	want := `{"product_id":"1","product":"Becher","product@de":"Becher","product@en":"=Mug","product@fr":null}`
	first, _, _ := strings.Cut(body, "\n")
	var got, wanted any
	if json.Unmarshal([]byte(first), &got) != nil || json.Unmarshal([]byte(want), &wanted) != nil || !cmp.Equal(got, wanted) {
		t.Errorf("got %s", first)
	}
	body = c.Accepting(table).Get("/api/2.0/products?fields=product@de,product@en,product@fr&spreadsheet=Y").Body
	if want := "product_id,product@de,product@en,product@fr\r\n1,Becher,'=Mug,\r\n"; !strings.HasPrefix(body, want) {
		t.Errorf("got %.200q", body)
	}
	whole := objectsOf(t, c.Accepting(lines).Get("/api/2.0/products?fields=*,product@de").Body, "product_id")["1"]
	if whole["product@de"] != "Becher" || whole["full_description"] == nil {
		t.Errorf("a whole object with a text: %v", whole)
	}
}

// E7: what a client asks for without knowing works with exports too: compression, HEAD.
func TestE7_CompressedAndHead(t *testing.T) {
	t.Parallel()
	_, c := openExporting(t)
	plain := c.Accepting(table).Get("/api/2.0/products").Body
	request := func(method string) *apitest.Answer {
		req := httptest.NewRequestWithContext(t.Context(), method, "/api/2.0/products", nil)
		req.SetBasicAuth(fixtureEmail, fixtureKey)
		req.Header.Set("Accept", table)
		req.Header.Set("Accept-Encoding", "gzip")
		return c.Send(req)
	}
	z, err := gzip.NewReader(strings.NewReader(request("GET").Body))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil || string(got) != plain {
		t.Errorf("%v %.300s", err, got)
	}
	if head := request("HEAD"); head.Status != http.StatusOK || head.Body != "" {
		t.Errorf("HEAD: %d %q", head.Status, head.Body)
	}
}

// E7: a user has at most two exports at once.
func TestE7_TwoExportsAtOnce(t *testing.T) {
	t.Parallel()
	s, c := openExporting(t)
	for range 600 {
		if _, err := s.Products.Create(t.Context(), func() products.Product {
			p := s.Products.Defaults(t.Context())
			p.Name, p.CategoryIDs = "Mug "+"x", []int64{1}
			p.FullDescription = strings.Repeat("clay ", 8000)
			return p
		}()); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	ask := func() *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/api/2.0/products?fields=*", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.SetBasicAuth(c.Email, c.Key)
		req.Header.Set("Accept", lines)
		req.Header.Set("Accept-Encoding", "identity")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	first, second := ask(), ask()
	if third := ask(); third.StatusCode != http.StatusTooManyRequests || third.Header.Get("Retry-After") == "" {
		t.Errorf("the third: %d", third.StatusCode)
	}
	for _, resp := range []*http.Response{first, second} {
		body, err := io.ReadAll(resp.Body)
		if err != nil || len(objectsOf(t, string(body), "product_id")) < 600 {
			t.Errorf("%v, %d bytes", err, len(body))
		}
	}
	deadline := time.Now().Add(10 * time.Second)
	for ask().StatusCode != http.StatusOK {
		if time.Now().After(deadline) {
			t.Fatal("the exports have ended, and no other may begin")
		}
		time.Sleep(10 * time.Millisecond)
	}
}
