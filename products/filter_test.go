package products_test

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
)

func TestProducts_FiltersOfLists(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		s.add(`{"product": "Ångström", "product_code": "A-1", "category_ids": 1, "price": 10, "list_price": 20, "amount": 5,
			"short_description": "teapot", "full_description": "a blue ÉCRU thing", "meta_keywords": "tea", "free_shipping": "Y"}`)
		s.add(`{"product": "Bowl_50%%", "product_code": "B-1", "category_ids": 1, "price": 20.5, "amount": 0, "status": "D",
			"short_description": "it's \\ big", "is_edp": "Y", "is_returnable": "N"}`)
		s.add(`{"product": "Cup", "product_code": "b-12", "category_ids": 1, "price": "20.51", "amount": -2, "status": "H",
			"full_description": "teapot", "age_verification": "Y", "age_limit": 18, "age_warning_message": "Only adults"}`)
		for query, want := range map[string]string{
			"":                                  "Ångström Bowl_50% Cup",
			"q=BOWL":                            "Bowl_50%",
			"q=åNGS":                            "Ångström",
			"q=teapot":                          "",
			"q=teapot&pname=Y":                  "",
			"q=teapot&pshort=Y":                 "Ångström",
			"q=teapot&pfull=Y":                  "Cup",
			"q=TEA&pshort=Y&pfull=Y":            "Ångström Cup",
			"q=tea&pkeywords=Y":                 "Ångström",
			"q=tea&pkeywords=1&pname=N":         "Ångström",
			"q=50%25+bowl":                      "Bowl_50%", // words in any order
			"q=bowl+cup":                        "",
			"q=+++":                             "Ångström Bowl_50% Cup",
			"q=teapot+5&pshort=Y&pname=Y":       "",
			"q=teapot+Cup&pfull=Y&pname=Y":      "Cup", // each somewhere
			"q=b-12":                            "",
			"q=b-12&pcode_from_q=Y":             "Cup",
			"q=cup+B-1&pcode_from_q=Y":          "Cup",
			"q=tea+b-12&pfull=Y&pcode_from_q=1": "Cup",
			"q=écru&pfull=y":                    "Ångström",
			"pname=Y":                           "Ångström Bowl_50% Cup",
			"pname=bowl":                        "Bowl_50%",
			"pshort=tea&pfull=blue":             "Ångström",
			"pshort=tea&q=cup":                  "",
			"pkeywords=TEA":                     "Ångström",
			"q=" + url.QueryEscape("%"):         "Bowl_50%",
			"q=_":                               "Bowl_50%",
			"q=" + url.QueryEscape("w_5"):       "",
			"q=" + url.QueryEscape("%%"):        "",
			"q=" + url.QueryEscape("' OR 1=1"):  "",
			"pshort=" + url.QueryEscape(`'s \`): "Bowl_50%",
			"product=cup":                       "Cup",
			"product=cup&pname=bowl":            "",
			"pcode=b-1":                         "Bowl_50% Cup",
			"code=B-12":                         "Cup",
			"pcode=b-1&code=12":                 "Cup",
			"pcode=b-1&pcode_exact=Y":           "",
			"pcode=b-12&pcode_exact=Y":          "Cup",
			"pcode=B-12&pcode_exact=Y":          "", // exactly
			"code=b-12&pcode_exact=1":           "Cup",
			"updated_from=1700000000":           "Ångström Bowl_50% Cup",
			"updated_from=1700000001":           "",
			"updated_to=1699999999":             "",
			"updated_to=2023-11-14":             "Ångström Bowl_50% Cup",
			"amount_from=0":                     "Ångström Bowl_50%",
			"amount_to=0":                       "Bowl_50% Cup",
			"amount_from=-2&amount_to=-1":       "Cup",
			"amount=5":                          "Ångström",
			"price_from=20.5":                   "Bowl_50% Cup",
			"price_from=20.500&price_to=20.50":  "Bowl_50%",
			"price_to=20.5":                     "Ångström Bowl_50%",
			"price=20.51":                       "Cup",
			"price=0":                           "",
			"list_price=20":                     "Ångström",
			"list_price=0":                      "Bowl_50% Cup",
			"status=H":                          "Cup",
			"free_shipping=Y":                   "Ångström",
			"free_shipping=False":               "Bowl_50% Cup",
			"is_edp=Y":                          "Bowl_50%",
			"is_returnable=N":                   "Bowl_50%",
			"age_verification=Y":                "Cup",
			"age_limit=18":                      "Cup",
			"age_warning_message=ADULT":         "Cup",
			"company_id=1":                      "Ångström Bowl_50% Cup",
			"company_id=2":                      "",
			"product_type=P":                    "Ångström Bowl_50% Cup",
			"product_type=V":                    "",
			"parent_product_id=0":               "Ångström Bowl_50% Cup",
			"parent_product_id=1":               "",
			"q=&status=&price_from=&cid=":       "Ångström Bowl_50% Cup",
			"order_ids=5":                       "", // there are no orders here
			"variation_group_id=3":              "", // nor variations
			"get_options=true":                  "Ångström Bowl_50% Cup",
		} {
			// In the order of their ids.
			if got := s.names("/products?sort_by=date&" + query); got != want {
				t.Errorf("?%s: %q, want %q", query, got, want)
			}
		}
	})
}

func TestProducts_BadFiltersAre400(t *testing.T) {
	long := strings.Repeat("x", shopapi.MaxFilterText+1)
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for query, field := range map[string]string{
			"status=X": "status", "status=a": "status", "product_type=X": "product_type",
			"cid=x": "cid", "cid=-1": "cid", "subcats=maybe": "subcats",
			"amount_from=x": "amount_from", "amount_to=1.5": "amount_to", "amount=99999999999999999999": "amount",
			"price_from=x": "price_from", "price_to=1.999": "price_to", "price=-1": "price", "list_price=1e99": "list_price",
			"price=0.0000000000000000000000001": "price",
			"price_from=2&price_to=1":           "price_from",
			"updated_from=x":                    "updated_from",
			"updated_from=2&updated_to=1":       "updated_from",
			"pcode_exact=maybe":                 "pcode_exact",
			"pcode_from_q=2":                    "pcode_from_q",
			"q=a" + strings.Repeat("+a", 32):    "q",
			"pshort=" + long:                    "pshort",
			"pcode=" + long:                     "pcode",
			"code=" + long:                      "code",
			"amount_from=2&amount_to=1":         "amount_from",
			"free_shipping=2":                   "free_shipping", "company_id=x": "company_id",
			"sort_by=product_code": "sort_by", "sort_by=date%3B": "sort_by", "sort_order=up": "sort_order",
			"page=0": "page", "page=x": "page", "items_per_page=0": "items_per_page",
		} {
			s.Refuses("GET", "/products?"+query, "", field)
		}
	})
}

func TestProducts_SortsOfLists(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		s.add(`{"product": "ä", "product_code": "2", "category_ids": 1, "price": 10, "list_price": 3, "amount": 1, "status": "H", "timestamp": 30}`)
		s.add(`{"product": "B", "product_code": "10", "category_ids": 1, "price": 9.99, "list_price": 3, "amount": -1, "status": "A", "timestamp": 20}`)
		s.add(`{"product": "a", "product_code": "x", "category_ids": 1, "price": 9, "list_price": 2, "amount": 10, "status": "D", "timestamp": 10}`)
		s.Clock.Advance(time.Second)
		s.put(200, 3, `{"amount": 11}`)
		for query, want := range map[string]string{
			"":                                   "a B ä",
			"sort_order=desc":                    "ä B a",
			"sort_by=product":                    "a B ä",
			"sort_by=date":                       "a B ä",
			"sort_by=date&sort_order=desc":       "ä B a",
			"sort_by=status":                     "B a ä",
			"sort_by=price":                      "a B ä",
			"sort_by=list_price":                 "a ä B", // ties by id
			"sort_by=list_price&sort_order=desc": "B ä a",
			"sort_by=code":                       "B ä a",
			"sort_by=amount":                     "B ä a",
			"sort_by=id":                         "ä B a",
			"sort_by=updated&sort_order=desc":    "a B ä",
		} {
			if got := s.names("/products?" + query); got != want {
				t.Errorf("?%s: %q, want %q", query, got, want)
			}
		}
	})
}

// Decisions §4: a published client sends sort_by=popularity.
func TestProducts_LiveDialectSorts(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{Dialect: shopapi.DialectLive})
	abc(s)
	s.Call(201, "POST", "/products", `{"product": "a", "category_ids": 1, "price": 1, "timestamp": 30}`)
	s.Call(201, "POST", "/products", `{"product": "b", "product_code": "A-1", "category_ids": 1, "price": 2, "timestamp": 20}`)
	for query, want := range map[string]string{
		"sort_by=timestamp": "b a date", "sort_by=date&sort_order=desc": "a b date",
		"sort_by=popularity": "a b product", "sort_by=popularity&sort_order=desc": "b a product", "sort_by=price": "a b price",
		"q=A-1": "b product", // in codes, always
	} {
		if got := s.names("/products?"+query) + " " + fmt.Sprint(s.page("/products?" + query).Params["sort_by"]); got != want {
			t.Errorf("?%s: %q, want %q", query, got, want)
		}
	}
}

// Decisions §6, and the parameters of the published sample that are true.
func TestProducts_ListsArePaged(t *testing.T) {
	suite.EachWith(t, shopapi.Options{Limits: shopapi.Limits{MaxItemsPerPage: 4}}, func(t *testing.T, s *shop) {
		abc(s)
		for n := range 7 {
			s.add(`{"product": "p%d", "category_ids": [1]}`, n)
		}
		params := func(page, sort string, more ...string) string {
			want := map[string]string{"area": `"A"`, "match": `"all"`, "pname": `"Y"`, "features_hash": `""`,
				"include_child_variations": "true", "group_child_variations": "false", "hide_out_of_stock_products": "false"}
			for i := 0; i < len(more); i += 2 {
				want[more[i]] = more[i+1]
			}
			text := page + ", " + sort
			for name, value := range want {
				text += fmt.Sprintf(", %q: %s", name, value)
			}
			return "{" + text + "}"
		}
		const byName, byPrice = `"sort_order": "asc", "sort_by": "product", "sort_order_rev": "desc"`, `"sort_order": "desc", "sort_by": "price", "sort_order_rev": "asc"`
		for _, c := range []struct{ query, names, params string }{
			{"items_per_page=3", "p0 p1 p2", params(`"items_per_page": "3", "page": 1, "total_items": "7"`, byName)},
			{"items_per_page=3&page=3&sort_by=price&sort_order=desc", "p0", params(`"items_per_page": "3", "page": 3, "total_items": "7"`, byPrice)},
			{"items_per_page=3&page=4", "", params(`"items_per_page": "3", "page": 4, "total_items": "7"`, byName)},
			{"items_per_page=100", "p0 p1 p2 p3", params(`"items_per_page": "4", "page": 1, "total_items": "7"`, byName)},
			{"page=99999999999", "", params(`"items_per_page": "4", "page": 99999999999, "total_items": "7"`, byName)},
			{"q=p3&pcode_from_q=Y", "p3", params(`"items_per_page": "4", "page": 1, "total_items": "1"`, byName, "q", `"p3"`, "pcode_from_q", `"Y"`)},
			{"cid=2&subcats=Y&include_child_variations=0&group_child_variations=1", "", params(`"items_per_page": "4", "page": 1, "total_items": "0"`, byName,
				"cid", `"2"`, "subcats", `"Y"`, "include_child_variations", "false", "group_child_variations", "true")},
		} {
			if got := s.names("/products?" + c.query); got != c.names {
				t.Errorf("?%s: %q, want %q", c.query, got, c.names)
			}
			var answer struct{ Params any }
			decode(t, s.Call(200, "GET", "/products?"+c.query, ""), &answer)
			var want any
			decode(t, c.params, &want)
			if diff := gocmp.Diff(want, answer.Params); diff != "" {
				t.Errorf("?%s: params (-want +got):\n%s", c.query, diff)
			}
		}
	})
}

func TestProducts_FindTakesTheFiltersFromGo(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		s.add(`{"product": "Cheap mug", "category_ids": 1, "price": 5, "full_description": "clay"}`)
		s.add(`{"product": "Dear mug", "category_ids": 2, "price": 50, "meta_keywords": "CLAY"}`)
		price := decimal.MustParse("5.000")
		find := func(f products.Filter) string {
			t.Helper()
			list, total, err := s.Products.Find(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			names := make([]string, len(list))
			for i, p := range list {
				names[i] = p.Name
			}
			return fmt.Sprint(strings.Join(names, ","), " of ", total)
		}
		for _, c := range []struct {
			filter products.Filter
			want   string
		}{
			{products.Filter{}, "Cheap mug,Dear mug of 2"},
			{products.Filter{ListOptions: resource.ListOptions{Order: resource.Descending, Limit: 1}}, "Dear mug of 2"},
			{products.Filter{ListOptions: resource.ListOptions{SortBy: "price", Limit: 1, Offset: 1}}, "Dear mug of 2"},
			{products.Filter{PriceTo: &price}, "Cheap mug of 1"},
			{products.Filter{Query: "clay", In: []string{products.InFullDescription, products.InKeywords}}, "Cheap mug,Dear mug of 2"},
			{products.Filter{Query: "clay", In: []string{products.InKeywords}}, "Dear mug of 1"},
			{products.Filter{CategoryID: 2}, "Dear mug of 1"},
		} {
			if got := find(c.filter); got != c.want {
				t.Errorf("%+v: %s, want %s", c.filter, got, c.want)
			}
		}
		if price.String() != "5.000" {
			t.Errorf("Find changed the amount that it was given to %s", price)
		}
		for _, f := range []products.Filter{{ListOptions: resource.ListOptions{SortBy: "weight"}}, {Query: "x", In: []string{"status"}}, {Status: "Z"}} {
			_, _, err := s.Products.Find(t.Context(), f)
			wantStatus(t, fmt.Sprintf("%+v", f), err, 400)
		}
	})
}

func TestProducts_PageTakesTheSameReadsHoweverLong(t *testing.T) {
	counted := &shoptest.CountingStore{Store: shoptest.Memory(t)}
	s := suite.Open(t, counted, shopapi.Options{})
	abc(s)
	for n := range 40 {
		s.add(`{"product": "p%d", "category_ids": [%d, 3]}`, n, n%2+1)
	}
	reads := map[int]int64{}
	for _, size := range []int{1, 40} {
		reads[size] = counted.In(func() {
			if got := len(s.page(fmt.Sprintf("/products?items_per_page=%d", size)).Products); got != size {
				t.Fatalf("the page has %d products, want %d", got, size)
			}
		})
	}
	if reads[1] == 0 || reads[1] != reads[40] {
		t.Errorf("reads for 1 and 40 products: %v", reads)
	}
}

// Every product of a page has its own categories.
func TestProducts_PageHasTheCategoriesOfEach(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		abc(s)
		var want []string
		for n := range 30 {
			main := n%3 + 1
			s.add(`{"product": "p%02d", "category_ids": [%d, %d], "main_category": %d}`, n, (n+1)%3+1, main, main)
			want = append(want, fmt.Sprint([]int{(n+1)%3 + 1, main}, main))
		}
		list, _, err := s.Products.Find(t.Context(), products.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(list, func(a, b products.Summary) int { return cmp.Compare(a.ProductID, b.ProductID) })
		got := make([]string, len(list))
		for i, p := range list {
			got[i] = fmt.Sprint(p.CategoryIDs, p.MainCategory)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("categories of the products (-want +got):\n%s", diff)
		}
	})
}
