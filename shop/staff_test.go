package shop_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apidoc"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/extensions/access"
	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/internal/structfields"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
)

// onceClosed is a store that somebody else closes.
type onceClosed struct{ store.Store }

func (onceClosed) Close() error { return nil }

// eachStaffed runs a test in a shop over each store with what staff uses.
func eachStaffed(t *testing.T, edition shopapi.Edition, test func(t *testing.T, s *apitest.Shop)) {
	t.Parallel()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		test(t, apitest.NewWithStore(t, onceClosed{st}, &shop.Options{
			Options: shopapi.Options{Edition: edition, StoreUpload: keep}, Access: access.Options{On: true, Document: apidoc.RegisterCaller}, Reports: orders.ReportOptions{On: true},
		}))
	})
}

// keep stores nothing, and names the image by its entity, type and size.
func keep(_ context.Context, entity, contentType string, body io.Reader) (string, error) {
	n, err := io.Copy(io.Discard, body)
	return fmt.Sprintf("/uploads/%s-%s-%d", entity, strings.TrimPrefix(contentType, "image/"), n), err
}

// posted makes an object and returns its id.
func posted(t *testing.T, c *apitest.Client, address, idField, body string) string {
	t.Helper()
	a := c.Post("/api/2.0/"+address, body)
	if a.Status != http.StatusCreated {
		t.Fatalf("POST %s %s: %d %s", address, body, a.Status, a.Body)
	}
	return fmt.Sprint(a.JSON().(map[string]any)[idField])
}

func TestE12_LowStock(t *testing.T) {
	eachStaffed(t, shopapi.SingleStore, func(t *testing.T, s *apitest.Shop) {
		category := posted(t, s.Client, "categories", "category_id", `{"category": "Cups", "company_id": 1}`)
		for name, stock := range map[string]string{
			"low": `"amount": 2, "low_avail_limit": 2`, "none": `"amount": 0`, "enough": `"amount": 3, "low_avail_limit": 2`,
			"untracked": `"amount": 0, "low_avail_limit": 5, "tracking": "D"`,
		} {
			posted(t, s.Client, "products", "product_id", fmt.Sprintf(`{"product": %q, "category_ids": [%s], "company_id": 1, "price": 1, %s}`, name, category, stock))
		}
		names := func() (names []string) {
			var list struct {
				Products []struct{ Product string }
			}
			s.Get("/api/2.0/products?low_stock=Y").Decode(&list)
			for _, p := range list.Products {
				names = append(names, p.Product)
			}
			return names
		}
		if got, want := names(), []string{"low", "none"}; !slices.Equal(got, want) {
			t.Errorf("low stock: %v, want %v", got, want)
		}
		// The list is as new as the stock.
		var all struct {
			Products []struct {
				ID      string `json:"product_id"`
				Product string
			}
		}
		s.Get("/api/2.0/products").Decode(&all)
		for _, p := range all.Products {
			if p.Product == "enough" {
				s.Put("/api/2.0/products/"+p.ID, `{"low_avail_limit": 3}`)
			}
		}
		if got, want := names(), []string{"enough", "low", "none"}; !slices.Equal(got, want) {
			t.Errorf("after a change: %v, want %v", got, want)
		}
	})
}

func TestE12_ReplyToReviews(t *testing.T) {
	eachStaffed(t, shopapi.MultiVendor, func(t *testing.T, s *apitest.Shop) {
		vendor := s.UserOf(2, "view_catalog", "manage_catalog", "view_discussions", "manage_discussions")
		category := posted(t, s.Client, "categories", "category_id", `{"category": "Cups", "company_id": 1}`)
		product := func(company int) string {
			return posted(t, s.Client, "products", "product_id", fmt.Sprintf(`{"product": "Cup", "category_ids": [%s], "company_id": %d, "price": 1}`, category, company))
		}
		own, other := product(2), product(1)
		review := func(product string) string {
			return posted(t, s.Client, "discussions", "post_id", fmt.Sprintf(`{"object_type": "P", "object_id": %s, "message": "Good", "name": "Ann", "rating_value": 5}`, product))
		}
		first, foreign := review(own), review(other)
		reply := posted(t, vendor, "products/"+own+"/discussions", "post_id", fmt.Sprintf(`{"reply_to": %s, "message": "Thanks", "name": "X", "rating_value": 1, "status": "D"}`, first))
		var post map[string]any
		s.Get("/api/2.0/discussions/" + reply).Decode(&post)
		name := s.Get("/api/2.0/vendors/2").Field("company")
		if post["name"] != name || post["status"] != "A" || post["rating_value"] != "" || post["object_id"] != own {
			t.Errorf("the reply is %v, and the company %s", post, name)
		}
		for _, body := range []string{`{"reply_to": 999, "message": "x"}`, fmt.Sprintf(`{"reply_to": %s, "message": "x"}`, foreign)} {
			if a := vendor.Post("/api/2.0/products/"+own+"/discussions", body); a.Status != 400 || !strings.Contains(a.Body, "reply_to") {
				t.Errorf("POST %s: %d %s", body, a.Status, a.Body)
			}
		}
		var list struct {
			Discussions []struct {
				ID string `json:"post_id"`
			}
		}
		a := vendor.Get("/api/2.0/discussions?object_type=P")
		a.Decode(&list)
		if len(list.Discussions) != 2 {
			t.Errorf("a vendor sees %d %s", a.Status, a.Body)
		}
		for _, query := range []string{"", "?object_type=C", "?object_type=P,C"} {
			if got := vendor.Get("/api/2.0/discussions" + query).Status; got != http.StatusForbidden {
				t.Errorf("a vendor's GET discussions%s: %d", query, got)
			}
		}
	})
}

// picture is the beginning of a PNG, and so many bytes in all.
func picture(size int) string {
	return "\x89PNG\r\n\x1a\n" + strings.Repeat("x", size-8)
}

func TestE12_Images(t *testing.T) {
	eachStaffed(t, shopapi.SingleStore, func(t *testing.T, s *apitest.Shop) {
		upload := func(c *apitest.Client, entity, body string) *apitest.Answer {
			return c.Do("POST", "/api/2.0/images?entity="+entity, "application/octet-stream", body)
		}
		staff := s.User("view_catalog", "manage_catalog")
		a := upload(staff, "products", picture(100))
		if a.Status != http.StatusCreated || a.Field("image_path") != "/uploads/products-png-100" {
			t.Fatalf("POST images: %d %s", a.Status, a.Body)
		}
		for _, c := range []struct {
			client       *apitest.Client
			entity, body string
			want         int
		}{
			{staff, "products", "<svg></svg>", 415},
			{staff, "products", "", 415},
			{staff, "", picture(9), 400},
			{staff, "nothing", picture(9), 400},
			{staff, "pages", picture(9), 403},
			{s.User("view_catalog"), "products", picture(9), 403},
			{staff, "categories", picture(images.MaxUpload), 201},
			{staff, "categories", picture(images.MaxUpload + 1), 413},
		} {
			if a := upload(c.client, c.entity, c.body); a.Status != c.want {
				t.Errorf("an image of %d bytes for %q: %d %s, want %d", len(c.body), c.entity, a.Status, a.Body, c.want)
			}
		}
		for coding, want := range map[string]int{"gzip": 415, "Identity": 201} {
			req := httptest.NewRequest("POST", "/api/2.0/images?entity=products", strings.NewReader(picture(9)))
			req.SetBasicAuth(s.Email, s.Key)
			req.Header.Set("Content-Encoding", coding)
			if a := s.Send(req); a.Status != want {
				t.Errorf("E10: an image with the Content-Encoding %s: %d %s, want %d", coding, a.Status, a.Body, want)
			}
		}
		if got := staff.Get("/api/2.0/images").Status; got != http.StatusMethodNotAllowed {
			t.Errorf("GET images: %d", got)
		}
	})
}

// What a user uploads and no object names is limited; an object that names an image frees it.
func TestE12_ImagesThatNoObjectNames(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{
		StoreUpload: func(_ context.Context, _, _ string, body io.Reader) (string, error) {
			n, err := io.Copy(io.Discard, body)
			return fmt.Sprintf("/uploads/%d", n), err
		},
		StoreImage: func(_ context.Context, _, reference string) (string, error) {
			return "", shopapi.Errorf(http.StatusBadRequest, "StoreImage was asked for %s", reference)
		},
	}})
	upload := func(size int) int {
		return s.Do("POST", "/api/2.0/images?entity=products", "image/png", picture(size)).Status
	}
	const most = images.MaxUnnamed / images.MaxUpload
	for n := range most {
		if got := upload(images.MaxUpload - n); got != http.StatusCreated {
			t.Fatalf("image %d: %d", n, got)
		}
	}
	if got := upload(100); got != http.StatusTooManyRequests {
		t.Errorf("an image above the limit: %d", got)
	}
	posted(t, s.Client, "categories", "category_id", fmt.Sprintf(`{"category": "Cups", "company_id": 1, "main_pair": {"detailed": {"image_path": "/uploads/%d"}}}`, images.MaxUpload))
	if got := upload(100); got != http.StatusCreated {
		t.Errorf("an image after one was named: %d", got)
	}
}

// Each upload reads the images that no object names, so their number is limited too.
func TestE12_SmallImagesThatNoObjectNames(t *testing.T) {
	t.Parallel()
	var n int
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{
		StoreUpload: func(context.Context, string, string, io.Reader) (string, error) {
			n++
			return fmt.Sprintf("/uploads/%d", n), nil
		},
	}})
	var a *apitest.Answer
	for range images.MaxUnnamedImages {
		if a = s.Do("POST", "/api/2.0/images?entity=products", "image/png", picture(9)); a.Status != http.StatusCreated {
			break
		}
	}
	last := s.Do("POST", "/api/2.0/images?entity=products", "image/png", picture(9))
	if a.Status != http.StatusCreated || last.Status != http.StatusTooManyRequests || !strings.Contains(last.Body, "1000 images") {
		t.Errorf("%d images: %d, one more: %d %s", n, a.Status, last.Status, last.Body)
	}
}

// A client that disconnects in the middle of an image is no error of the server, which would be
// in its log.
func TestE12_ImagesThatEndEarly(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{
		StoreUpload: func(_ context.Context, _, _ string, body io.Reader) (string, error) {
			_, err := io.Copy(io.Discard, body)
			return "/uploads/1", err
		},
	}})
	for _, size := range []int{9, 2000} {
		req := httptest.NewRequest("POST", "/api/2.0/images?entity=products", io.MultiReader(strings.NewReader(picture(size)), iotest.ErrReader(io.ErrUnexpectedEOF)))
		req.SetBasicAuth(s.Email, s.Key)
		w := httptest.NewRecorder()
		s.Shop.ServeHTTP(w, req)
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "to its end") {
			t.Errorf("an image of which %d bytes come: %d %s", size, w.Code, w.Body)
		}
	}
}

func TestE12_ImagesAreOffByDefault(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, nil)
	for _, address := range []string{"images?entity=products", "openapi", "reports/orders", "users/1/keys"} {
		if got := s.Do("POST", "/api/2.0/"+address, "application/json", "{}").Status; got != http.StatusNotFound {
			t.Errorf("POST %s: %d", address, got)
		}
	}
}

// E12, decisions §6: unknown codes are a 400, and what a report says in params can be sent.
func TestE12_ReportParameters(t *testing.T) {
	eachStaffed(t, shopapi.SingleStore, func(t *testing.T, s *apitest.Shop) {
		const address = "/api/2.0/reports/orders?"
		for query, problem := range map[string]string{
			"status=Z":              `"status":"must be the letter of a status, not \"Z\""`,
			"status=ZZ&by=product":  `"status":"must be the letter of a status, not \"ZZ\""`,
			"status[]=C&status=c":   `"status":"must be the letter of a status, not \"c\""`,
			"by=zzz":                `"by":"must be one of day, status, product, company, not \"zzz\""`,
			"by=zzz&sort_by=x":      `"sort_by":"must be one of day, by, not \"x\""`,
			"by=status&sort_by=day": `"sort_by":"must be one of status, by, not \"day\""`,
		} {
			want(t, s.Get(address+query), 400, problem)
		}
		for _, by := range []string{"", "day", "status", "product", "company"} {
			query := "status=C,O&by=" + by
			a := s.Get(address + query)
			want(t, a, 200, `"sort_by":"`+cmp.Or(by, "day")+`"`)
			for _, key := range []string{cmp.Or(by, "day"), "by"} {
				if again := s.Get(address + query + "&sort_order=asc&sort_by=" + key); again.Status != 200 || again.Body != a.Body {
					t.Errorf("with sort_by=%s the report by %s is %d %s, want %s", key, by, again.Status, again.Body, a.Body)
				}
			}
		}
	})
}

func TestE12_ReportsOverHTTP(t *testing.T) {
	eachStaffed(t, shopapi.SingleStore, func(t *testing.T, s *apitest.Shop) {
		for query, want := range map[string]int{
			"": 200, "?by=status": 200, "?by=month": 400, "?time_from=2024-02-01&time_to=2024-01-01": 400,
			"?time_from=2022-01-01&time_to=2023-12-31": 400, "?time_from=2023-01-01&time_to=2023-12-31": 200, "?user_id=x": 400,
		} {
			a := s.Get("/api/2.0/reports/orders" + query)
			if a.Status != want {
				t.Errorf("GET reports/orders%s: %d %s, want %d", query, a.Status, a.Body, want)
			}
		}
		if got := s.User("view_orders").Get("/api/2.0/reports/orders").Status; got != http.StatusForbidden {
			t.Errorf("without view_reports: %d", got)
		}
		var report struct {
			Rows   []map[string]string
			Params struct {
				TotalItems string `json:"total_items"`
			}
		}
		s.User("view_orders", "view_reports").Get("/api/2.0/reports/orders").Decode(&report)
		if len(report.Rows) != 0 || report.Params.TotalItems != "0" {
			t.Errorf("the report of no orders is %+v", report)
		}
	})
}

// Rows are ascending by their key, and descending where sort_order asks for it.
func TestE12_ReportOrder(t *testing.T) {
	eachStaffed(t, shopapi.SingleStore, func(t *testing.T, s *apitest.Shop) {
		for _, row := range [][2]string{
			{"categories", `{"category": "Cups"}`}, {"payments", `{"payment": "Card"}`}, {"shippings", `{"shipping": "Parcel"}`},
			{"products", `{"product": "Cup", "price": 1, "category_ids": [1], "amount": 9}`}, {"products", `{"product": "Pot", "price": 2, "category_ids": [1], "amount": 9}`},
			{"orders", `{"payment_id": 1, "shipping_id": 1, "products": {"1": {"amount": 1}, "2": {"amount": 1}}, "user_data": {
				"email": "kim@example.com", "b_firstname": "Kim", "b_lastname": "Berg", "b_address": "Main St 1", "b_city": "Oslo", "b_country": "NO", "b_zipcode": "0150",
				"s_firstname": "Kim", "s_lastname": "Berg", "s_address": "Main St 1", "s_city": "Oslo", "s_country": "NO", "s_zipcode": "0150"}}`},
		} {
			want(t, s.Post("/api/2.0/"+row[0], row[1]), 201, "")
		}
		for query, products := range map[string]string{
			"": "1 2", "&sort_order=asc": "1 2", "&sort_order=desc": "2 1", "&sort_order=desc&items_per_page=1": "2", "&sort_order=desc&items_per_page=1&page=2": "1",
		} {
			var report struct{ Rows []map[string]string }
			s.Get("/api/2.0/reports/orders?by=product&status=O" + query).Decode(&report)
			var got []string
			for _, row := range report.Rows {
				got = append(got, row["product_id"])
			}
			if diff := gocmp.Diff(products, strings.Join(got, " ")); diff != "" {
				t.Errorf("E12: by=product%s (-want +got):\n%s", query, diff)
			}
		}
	})
}

// The caller's document has what the caller may do, and nothing that is missing in it.
func TestE12_CallersDocument(t *testing.T) {
	for name, edition := range map[string]shopapi.Edition{"single": shopapi.SingleStore, "vendors": shopapi.MultiVendor} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: edition}, Access: access.Options{On: true, Document: apidoc.RegisterCaller}, Reports: orders.ReportOptions{On: true}})
			full := s.Get("/api/2.0/openapi")
			for who, c := range map[string]*apitest.Client{
				"root": s.Client, "orders": s.User("view_orders", "manage_orders"), "a vendor": s.UserOf(2, "view_catalog", "manage_catalog", "view_discussions", "manage_discussions"),
			} {
				a := c.Get("/api/2.0/openapi")
				var document struct {
					Paths      map[string]map[string]json.RawMessage
					Components struct{ Schemas map[string]json.RawMessage }
				}
				a.Decode(&document)
				for _, part := range strings.Split(a.Body, `"#/components/schemas/`)[1:] {
					if schema, _, _ := strings.Cut(part, `"`); document.Components.Schemas[schema] == nil {
						t.Errorf("%s: the schema %s is missing", who, schema)
					}
				}
				if who != "root" && len(a.Body) > len(full.Body)*2/3 {
					t.Errorf("%s: %d bytes, root's document has %d", who, len(a.Body), len(full.Body))
				}
				if who == "orders" && (document.Paths["/orders"]["post"] == nil || document.Paths["/products"] != nil || document.Paths["/taxes"] != nil) {
					t.Errorf("%s: paths do not fit the privileges", who)
				}
				if isTold := document.Paths["/reports/orders"] != nil; isTold != (who == "root") {
					t.Errorf("%s: the document has reports: %t", who, isTold)
				}
				if who == "a vendor" && edition == shopapi.MultiVendor && (document.Paths["/discussions"]["post"] != nil || document.Paths["/products/{product_id}/discussions"]["post"] == nil) {
					t.Errorf("%s: paths of discussions do not fit", who)
				}
				if again := c.Get("/api/2.0/openapi"); !bytes.Equal([]byte(again.Body), []byte(a.Body)) || again.Header.Get("ETag") == "" {
					t.Errorf("%s: the document differs from one request to the next", who)
				}
			}
		})
	}
}

// The field that the document calls the id of an object is in the items of lists.
func TestE12_IDsAreInItems(t *testing.T) {
	for name, edition := range map[string]shopapi.Edition{"single": shopapi.SingleStore, "storefronts": shopapi.MultiStorefront, "vendors": shopapi.MultiVendor} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apitest.New(t, &shop.Options{Options: shopapi.Options{Edition: edition}})
			for _, p := range s.EntityPaths() {
				if p.Item == nil || p.Item.Kind() != reflect.Struct || !slices.Contains(p.Operations, shopapi.OpList) {
					continue
				}
				id := cmp.Or(p.ItemIDField, p.IDField)
				if !slices.ContainsFunc(structfields.Of(p.Item), func(f reflect.StructField) bool {
					name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
					return name == id
				}) {
					t.Errorf("%s: items have no %s", p, id)
				}
			}
		})
	}
}
