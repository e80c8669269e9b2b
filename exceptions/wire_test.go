package exceptions_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/exceptions"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
)

func TestExceptions_CreateReadUpdateDelete(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{}, hostProducts(), options())
		s.Want("POST", "/api/2.0/exceptions", `{"product_id": 41, "combination": {"14": "-1", "12": 33}}`, 201, `{"exception_id":"1"}`)
		s.Want("POST", "/api/2.0/exceptions", `product_id=41&combination[12]=34&combination[14]=-2`, 201, `{"exception_id":"2"}`)
		s.Want("GET", "/api/2.0/exceptions/1", "", 200, `{"exception_id":"1","product_id":"41","combination":{"12":"33","14":"-1"}}`)
		s.Want("GET", "/api/2.0/exceptions?product_id=41", "", 200,
			`[{"exception_id":"1","product_id":"41","combination":{"12":"33","14":"-1"}},{"exception_id":"2","product_id":"41","combination":{"12":"34","14":"-2"}}]`)
		s.Want("PUT", "/api/2.0/exceptions/1", `{"combination": {"12": "-1"}}`, 200, `{"exception_id":"1"}`)
		s.Want("GET", "/api/2.0/exceptions/1", "", 200, `{"exception_id":"1","product_id":"41","combination":{"12":"-1"}}`)
		s.Want("DELETE", "/api/2.0/exceptions/1", "", 204, "")
		s.Status("GET", "/api/2.0/exceptions/1", "", 404)
		s.Want("GET", "/api/2.0/exceptions?product_id=41", "", 200, `[{"exception_id":"2","product_id":"41","combination":{"12":"34","14":"-2"}}]`)
	})
}

func TestExceptions_LiveDialectWritesNewIDAsNumber(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{Dialect: shopapi.DialectLive}, hostProducts())
		s.Want("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 33}}`, 201, `{"exception_id":1}`)
		s.Want("PUT", "/api/exceptions/1", `{"combination": {"12": 34}}`, 200, `{"exception_id":"1"}`)
		s.Want("GET", "/api/exceptions?product_id=41", "", 200, `[{"exception_id":"1","product_id":"41","combination":{"12":"34"}}]`)
	})
}

func TestExceptions_ListNeedsProduct(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{}, hostProducts())
		s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 33}}`, 201)
		s.Refuses("GET", "/api/exceptions", "", "product_id")
		s.Refuses("GET", "/api/exceptions?product_id=", "", "product_id")
		s.Refuses("GET", "/api/exceptions?product_id=mug", "", "product_id")
		s.Want("GET", "/api/exceptions?product_id=9", "", 200, `[]`)
		s.Want("GET", "/api/exceptions?product_id=-1", "", 200, `[]`)
		s.Want("GET", "/api/exceptions?product_id=42", "", 200, `[]`)
	})
}

func TestExceptions_CombinationIsChecked(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{}, hostProducts())
		s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"1": "5"}}`, 201)
		tooMany := make([]string, 51)
		for i := range tooMany {
			tooMany[i] = `"` + shopapi.FormatID(int64(i+1)) + `": -1`
		}
		for name, body := range map[string]string{
			"missing":                  `{"product_id": 41}`,
			"null":                     `{"product_id": 41, "combination": null}`,
			"empty object":             `{"product_id": 41, "combination": {}}`,
			"empty array":              `{"product_id": 41, "combination": []}`,
			"empty text":               `product_id=41&combination=`,
			"array":                    `{"product_id": 41, "combination": [33, 34]}`,
			"array by form":            `product_id=41&combination[0]=33&combination[1]=34`,
			"appended by form":         `product_id=41&combination[]=33`,
			"text":                     `{"product_id": 41, "combination": "12:33"}`,
			"number":                   `{"product_id": 41, "combination": 12}`,
			"boolean":                  `{"product_id": 41, "combination": true}`,
			"option is text":           `{"product_id": 41, "combination": {"colour": 33}}`,
			"option is empty":          `{"product_id": 41, "combination": {"": 33}}`,
			"option is 0":              `{"product_id": 41, "combination": {"0": 33}}`,
			"option is negative":       `{"product_id": 41, "combination": {"-1": 33}}`,
			"option with zeros":        `{"product_id": 41, "combination": {"012": 33}}`,
			"option too large":         `{"product_id": 41, "combination": {"9223372036854775808": 33}}`,
			"option with space":        `{"product_id": 41, "combination": {" 12": 33}}`,
			"option twice":             `{"product_id": 41, "combination": {"12": 33, "12": 34}}`,
			"option nested":            `product_id=41&combination[12][0]=33`,
			"variant is text":          `{"product_id": 41, "combination": {"12": "red"}}`,
			"variant is empty":         `{"product_id": 41, "combination": {"12": ""}}`,
			"variant is 0":             `{"product_id": 41, "combination": {"12": 0}}`,
			"variant is -3":            `{"product_id": 41, "combination": {"12": -3}}`,
			"variant is a fraction":    `{"product_id": 41, "combination": {"12": 33.5}}`,
			"variant with decimals":    `{"product_id": 41, "combination": {"12": 33.5}}`,
			"variant with exponent":    `{"product_id": 41, "combination": {"12": 3e-1}}`,
			"variant with sign":        `{"product_id": 41, "combination": {"12": "+33"}}`,
			"variant is null":          `{"product_id": 41, "combination": {"12": null}}`,
			"variant is boolean":       `{"product_id": 41, "combination": {"12": true}}`,
			"variant is an object":     `{"product_id": 41, "combination": {"12": {"33": "red"}}}`,
			"variant too large":        `{"product_id": 41, "combination": {"12": 9223372036854775808}}`,
			"more options than can be": `{"product_id": 41, "combination": {` + strings.Join(tooMany, ",") + `}}`,
		} {
			t.Run(name, func(t *testing.T) {
				s := s.In(t)
				s.Refuses("POST", "/api/exceptions", body, "combination")
				if name != "missing" {
					s.Refuses("PUT", "/api/exceptions/1", body, "combination")
				}
			})
		}
		s.Want("GET", "/api/exceptions?product_id=41", "", 200, `[{"exception_id":"1","product_id":"41","combination":{"1":"5"}}]`)
	})
}

func TestExceptions_LargestCombinationIsStored(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{}, hostProducts())
		var members []string
		for i := range 50 {
			members = append(members, `"`+shopapi.FormatID(9223372036854775758+int64(i))+`":"9223372036854775807"`)
		}
		combination := "{" + strings.Join(members, ",") + "}"
		s.Want("POST", "/api/exceptions", `{"product_id": 41, "combination": `+combination+`}`, 201, `{"exception_id":"1"}`)
		s.Want("GET", "/api/exceptions/1", "", 200, `{"exception_id":"1","product_id":"41","combination":`+combination+`}`)
	})
}

func TestExceptions_SameCombinationTwice(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{}, hostProducts())
		s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 33, "14": -1}}`, 201)
		s.Status("POST", "/api/exceptions", `{"product_id": 42, "combination": {"12": 33, "14": -1}}`, 201)
		s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 33}}`, 201)
		s.Refuses("POST", "/api/exceptions", `{"product_id": "41", "combination": {"14": "-1", "12": "33"}}`, "combination")
		s.Refuses("POST", "/api/exceptions", `product_id=41&combination[14]=-1&combination[12]=33`, "combination")
		// A change into the combination of another exception, in either direction.
		s.Refuses("PUT", "/api/exceptions/3", `{"combination": {"14": "-1", "12": "33"}}`, "combination")
		s.Refuses("PUT", "/api/exceptions/2", `{"product_id": 41}`, "combination")
		// Its own combination is not a duplicate.
		s.Status("PUT", "/api/exceptions/1", `{"product_id": 41, "combination": {"14": "-1", "12": "33"}}`, 200)
		s.Want("GET", "/api/exceptions?product_id=41", "", 200,
			`[{"exception_id":"1","product_id":"41","combination":{"12":"33","14":"-1"}},{"exception_id":"3","product_id":"41","combination":{"12":"33"}}]`)
		s.Want("GET", "/api/exceptions?product_id=42", "", 200, `[{"exception_id":"2","product_id":"42","combination":{"12":"33","14":"-1"}}]`)
	})
}

func TestExceptions_ProductMustExist(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{}, hostProducts())
		s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 33}}`, 201)
		for _, id := range []string{`9`, `0`, `-41`, `"mug"`, `41.5`, `null`, `[41]`, `true`} {
			s.Refuses("POST", "/api/exceptions", `{"combination": {"12": 33}, "product_id": `+id+`}`, "product_id")
			s.Refuses("PUT", "/api/exceptions/1", `{"product_id": `+id+`}`, "product_id")
		}
		s.Refuses("POST", "/api/exceptions", `{"combination": {"12": 33}}`, "product_id")
		s.Want("GET", "/api/exceptions?product_id=41", "", 200, `[{"exception_id":"1","product_id":"41","combination":{"12":"33"}}]`)
	})
}

func TestExceptions_WithoutProductsEveryIDWillDo(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{})
		s.Want("POST", "/api/exceptions", `{"product_id": 9, "combination": {"12": 33}}`, 201, `{"exception_id":"1"}`)
		s.Want("GET", "/api/exceptions?product_id=9", "", 200, `[{"exception_id":"1","product_id":"9","combination":{"12":"33"}}]`)
	})
}

func TestExceptions_OptionsAndVariantsMustBelong(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{}, hostProducts(), options())
		s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 33}}`, 201)
		for combination, says := range map[string]string{
			`{"12": 36}`:           `must give the option 12 one of its own variants, -1 (any) or -2 (none), not 36`,
			`{"16": 33}`:           `must give the option 16 one of its own variants, -1 (any) or -2 (none), not 33`,
			`{"12": 33, "21": 51}`: `must hold options of the product; 21 is none of product 41`,
			`{"12": 33, "99": -1}`: `must hold options of the product; 99 is none of product 41`,
			`{"15": -1}`:           `must hold options of the types S, R and C; the option 15 is of type I`,
		} {
			for _, request := range [][2]string{{"POST", "/api/exceptions"}, {"PUT", "/api/exceptions/1"}} {
				got := s.Refuses(request[0], request[1], `{"product_id": 41, "combination": `+combination+`}`, "combination")["combination"]
				if got != says {
					t.Errorf("%s of %s says %q, want %q", request[0], combination, got, says)
				}
			}
		}
		for _, combination := range []string{`{"12": 34}`, `{"14": 36, "12": -2}`, `{"16": -1}`} {
			s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": `+combination+`}`, 201)
		}
	})
}

func TestExceptions_PutReplacesCombinationWhole(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{}, hostProducts(), options())
		s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 33, "14": 36}}`, 201)
		s.Want("PUT", "/api/exceptions/1", `combination[14]=37`, 200, `{"exception_id":"1"}`)
		s.Want("GET", "/api/exceptions/1", "", 200, `{"exception_id":"1","product_id":"41","combination":{"14":"37"}}`)
	})
}

func TestExceptions_PutMovesToAnotherProduct(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{}, hostProducts(), options())
		s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 33}}`, 201)
		s.Refuses("PUT", "/api/exceptions/1", `{"product_id": 42}`, "combination") // its options belong to the old product
		s.Want("PUT", "/api/exceptions/1", `{"product_id": 42, "combination": {"21": 51}}`, 200, `{"exception_id":"1"}`)
		s.Want("GET", "/api/exceptions?product_id=41", "", 200, `[]`)
		s.Want("GET", "/api/exceptions?product_id=42", "", 200, `[{"exception_id":"1","product_id":"42","combination":{"21":"51"}}]`)
	})
}

func TestExceptions_PutOfUnknownFieldsChangesNothing(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		opts := options()
		s := suite.Open(t, st, shopapi.Options{}, hostProducts(), opts)
		s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 33}}`, 201)
		delete(opts.Objects, "12") // unchanged options are not looked up again
		s.Want("PUT", "/api/exceptions/1", `{"colour": "red", "exception_id": 9}`, 200, `{"exception_id":"1"}`)
		s.Want("GET", "/api/exceptions/1", "", 200, `{"exception_id":"1","product_id":"41","combination":{"12":"33"}}`)
		s.Status("GET", "/api/exceptions/9", "", 404)
	})
}

func TestExceptions_UnknownIDIs404(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{}, hostProducts())
		s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 33}}`, 201)
		for _, id := range []string{"2", "0", "-1", "abc", "01", "1.0", "9223372036854775808"} {
			s.Status("GET", "/api/exceptions/"+id, "", 404)
			s.Status("PUT", "/api/exceptions/"+id, `{"combination": {"12": 34}}`, 404)
			s.Status("DELETE", "/api/exceptions/"+id, "", 404)
		}
	})
}

func TestExceptions_MethodsAndPayload(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{}, hostProducts())
	s.Status("POST", "/api/exceptions/1", `{"product_id": 41, "combination": {"12": 33}}`, 405)
	s.Status("POST", "/api/exceptions", ``, 405)
	s.Status("PUT", "/api/exceptions", `{"product_id": 41}`, 405)
	s.Status("DELETE", "/api/exceptions", ``, 405)
	s.as("reader@example.com").Status("GET", "/api/exceptions?product_id=41", "", 200)
	s.as("reader@example.com").Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 33}}`, 403)
	s.as("stranger@example.com").Status("GET", "/api/exceptions?product_id=41", "", 401)
}

func TestExceptions_DeleteChecksProduct(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{}, hostProducts())
		s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 33}}`, 201)
		s.Status("DELETE", "/api/exceptions/1?product_id=42", "", 404)
		s.Status("DELETE", "/api/exceptions/1?product_id=9", "", 404)
		s.Refuses("DELETE", "/api/exceptions/1?product_id=mug", "", "product_id")
		s.Status("GET", "/api/exceptions/1", "", 200)
		s.Want("DELETE", "/api/exceptions/1?product_id=41", "", 204, "")
		s.Status("GET", "/api/exceptions/1", "", 404)
	})
}

func TestExceptions_AsChildOfProducts(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{}, hostProducts(), options())
		s.Want("POST", "/api/2.0/products/41/exceptions", `{"combination": {"12": 33}}`, 201, `{"exception_id":"1"}`)
		s.Want("POST", "/api/2.0/products/42/exceptions", `{"product_id": 42, "combination": {"21": 51}}`, 201, `{"exception_id":"2"}`)
		s.Refuses("POST", "/api/2.0/products/42/exceptions", `{"product_id": 41, "combination": {"21": 51}}`, "product_id")

		s.Want("GET", "/api/2.0/products/41/exceptions", "", 200, `[{"exception_id":"1","product_id":"41","combination":{"12":"33"}}]`)
		s.Want("GET", "/api/2.0/products/41/exceptions?product_id=42", "", 200, `[]`)
		s.Status("GET", "/api/2.0/products/9/exceptions", "", 404)
		s.Want("GET", "/api/2.0/products/42/exceptions/2", "", 200, `{"exception_id":"2","product_id":"42","combination":{"21":"51"}}`)

		s.Status("GET", "/api/2.0/products/41/exceptions/2", "", 404)
		s.Status("PUT", "/api/2.0/products/41/exceptions/2", `{"combination": {"21": -1}}`, 404)
		s.Status("DELETE", "/api/2.0/products/41/exceptions/2", "", 404)
		s.Refuses("PUT", "/api/2.0/products/42/exceptions/2", `{"product_id": 41, "combination": {"12": 33}}`, "product_id")
		s.Status("PUT", "/api/2.0/products/42/exceptions/2", `{"combination": {"21": -1}}`, 200)
		s.Status("DELETE", "/api/2.0/products/42/exceptions/2", "", 204)
		s.Want("GET", "/api/2.0/products/42/exceptions", "", 200, `[]`)
	})
}

func TestExceptions_VendorsReachOnlyTheirProducts(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		goods := hostProducts()
		s := suite.Open(t, st, shopapi.Options{Edition: shopapi.MultiVendor}, goods, options())
		vendor := s.as("vendor2@example.com")
		s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 33}}`, 201)
		vendor.Want("POST", "/api/exceptions", `{"product_id": 77, "combination": {"71": 91}}`, 201, `{"exception_id":"2"}`)
		vendor.Want("GET", "/api/exceptions?product_id=77", "", 200, `[{"exception_id":"2","product_id":"77","combination":{"71":"91"}}]`)

		vendor.Want("GET", "/api/exceptions?product_id=41", "", 200, `[]`)
		vendor.Status("GET", "/api/exceptions/1", "", 404)
		vendor.Status("PUT", "/api/exceptions/1", `{"combination": {"12": 34}}`, 404)
		vendor.Status("DELETE", "/api/exceptions/1", "", 404)
		vendor.Refuses("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 34}}`, "product_id")
		vendor.Refuses("PUT", "/api/exceptions/2", `{"product_id": 41, "combination": {"12": 34}}`, "product_id")
		s.Want("GET", "/api/exceptions/1", "", 200, `{"exception_id":"1","product_id":"41","combination":{"12":"33"}}`)

		// Exceptions follow a product to another company.
		goods.Objects["77"] = map[string]any{"product_id": "77", "company_id": "3"}
		vendor.Status("GET", "/api/exceptions/2", "", 404)
		vendor.Want("GET", "/api/exceptions?product_id=77", "", 200, `[]`)
		vendor.Status("DELETE", "/api/exceptions/2", "", 404)
	})
}

func TestExceptions_VendorsReachNoneWithoutProducts(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{Edition: shopapi.MultiVendor})
	s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 33}}`, 201)
	vendor := s.as("vendor2@example.com")
	vendor.Want("GET", "/api/exceptions?product_id=41", "", 200, `[]`)
	vendor.Status("GET", "/api/exceptions/1", "", 404)
	vendor.Refuses("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 34}}`, "product_id")
}

func TestExceptions_ChangesAreReported(t *testing.T) {
	s := suite.Open(t, shoptest.Memory(t), shopapi.Options{}, hostProducts())
	s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 33}}`, http.StatusCreated)
	s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 33}}`, http.StatusBadRequest)
	s.Status("PUT", "/api/exceptions/1", `{"combination": {"12": 34}}`, http.StatusOK)
	s.Status("PUT", "/api/exceptions/1", `{"product_id": "41", "combination": {"12": "34"}}`, http.StatusOK) // unchanged
	s.Status("DELETE", "/api/exceptions/1", "", http.StatusNoContent)
	want := []string{"create exceptions 1 by 1", "update exceptions 1 by 1", "delete exceptions 1 by 1"}
	if diff := cmp.Diff(want, s.Events()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// An update without a difference is not reported, over HTTP and from Go, and a GET
// response can be sent back.
func TestExceptions_UnchangedCausesNoEvent(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		goods := hostProducts()
		s := suite.Open(t, st, shopapi.Options{}, goods, options())
		s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"14": 36, "12": 33}}`, 201)
		before := s.Events()
		delete(goods.Objects, "41") // what stays is not checked again
		got := s.Send("GET", "/api/exceptions/1", "").Body
		s.Want("PUT", "/api/exceptions/1", got, 200, `{"exception_id":"1"}`)
		s.Want("PUT", "/api/exceptions/1", `combination[12]=33&combination[14]=36`, 200, `{"exception_id":"1"}`)
		s.Want("GET", "/api/exceptions/1", "", 200, got)
		e, err := s.Exceptions.Update(t.Context(), 1, func(e *exceptions.Exception) error {
			e.Combination = exceptions.Combination{14: 36, 12: 33}
			return nil
		})
		want := exceptions.Exception{ExceptionID: 1, ProductID: 41, Combination: exceptions.Combination{12: 33, 14: 36}}
		if diff := cmp.Diff(want, e); err != nil || diff != "" {
			t.Errorf("Update: %v (-want +got):\n%s", err, diff)
		}
		if diff := cmp.Diff(before, s.Events()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// Lists without pages take page and items_per_page too (decisions §14).
func TestExceptions_PagesOfTheArray(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{}, hostProducts())
		for _, variant := range []string{"31", "32", "33"} {
			s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": `+variant+`}}`, 201)
		}
		for query, want := range map[string]string{
			"":                         `["1","2","3"]`,
			"&items_per_page=2":        `["1","2"]`,
			"&items_per_page=2&page=2": `["3"]`,
			"&page=2":                  `[]`,
			"&sort_order=desc":         `["3","2","1"]`,
		} {
			w := s.Send("GET", "/api/exceptions?product_id=41"+query, "")
			var list []struct {
				ID string `json:"exception_id"`
			}
			shoptest.Decode(t, w.Body, &list)
			ids := []string{}
			for _, e := range list {
				ids = append(ids, `"`+e.ID+`"`)
			}
			if got := "[" + strings.Join(ids, ",") + "]"; got != want {
				t.Errorf("%s lists %s, want %s", query, got, want)
			}
			if total := w.Header.Get("X-Total-Count"); (total == "3") != strings.Contains(query, "page") {
				t.Errorf("%s: X-Total-Count %q", query, total)
			}
		}
		s.Refuses("GET", "/api/exceptions?product_id=41&page=0", "", "page")
		s.Refuses("GET", "/api/exceptions?product_id=41&sort_by=combination", "", "sort_by")
	})
}

// A POST with an Idempotency-Key creates once (decisions §25).
func TestExceptions_CreatedOnceByKey(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		s := suite.Open(t, st, shopapi.Options{}, hostProducts())
		for range 2 {
			w := s.Send("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 33}}`, "Idempotency-Key", "3f1c")
			if w.Status != 201 || w.Body != `{"exception_id":"1"}` {
				t.Errorf("answered %d %s", w.Status, w.Body)
			}
		}
	})
}

// A storefront has the exceptions of its products.
func TestExceptions_UnderAStorefront(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		storefronts := &shoptest.Host{Name: "stores", Objects: map[string]any{"2": map[string]any{"company_id": "2"}}}
		s := suite.Open(t, st, shopapi.Options{Edition: shopapi.MultiStorefront}, hostProducts(), options(), storefronts)
		s.Status("POST", "/api/exceptions", `{"product_id": 41, "combination": {"12": 33}}`, 201)
		s.Want("POST", "/api/stores/2/exceptions", `{"product_id": 77, "combination": {"71": 91}}`, 201, `{"exception_id":"2"}`)
		s.Refuses("POST", "/api/stores/2/exceptions", `{"product_id": 41, "combination": {"12": 34}}`, "product_id")
		s.Refuses("GET", "/api/stores/2/exceptions", "", "product_id")
		s.Want("GET", "/api/stores/2/exceptions?product_id=77", "", 200, `[{"exception_id":"2","product_id":"77","combination":{"71":"91"}}]`)
		s.Want("GET", "/api/stores/2/exceptions?product_id=41", "", 200, `[]`)
		s.Status("GET", "/api/stores/2/exceptions/1", "", 404)
		s.Status("DELETE", "/api/stores/2/exceptions/1?product_id=41", "", 404)
		s.Status("DELETE", "/api/stores/2/exceptions/2?product_id=77", "", 204)
	})
}

func TestExceptions_HostErrorIsNotANotFound(t *testing.T) {
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		goods, opts := hostProducts(), options()
		s := suite.Open(t, st, shopapi.Options{Edition: shopapi.MultiVendor}, goods, opts)
		s.Status("POST", "/api/exceptions", `{"product_id": 77, "combination": {"71": 91}}`, 201)
		opts.Broken = true
		s.Status("POST", "/api/exceptions", `{"product_id": 77, "combination": {"71": -1}}`, 500)
		goods.Broken = true
		s.Status("POST", "/api/exceptions", `{"product_id": 77, "combination": {"71": -1}}`, 500)
		s.Status("PUT", "/api/exceptions/1", `{"combination": {"71": -1}}`, 500)
		vendor := s.as("vendor2@example.com")
		vendor.Status("GET", "/api/exceptions/1", "", 500)
		vendor.Status("GET", "/api/exceptions?product_id=77", "", 500)
		vendor.Status("DELETE", "/api/exceptions/1", "", 500)
		s.Want("GET", "/api/exceptions?product_id=77", "", 200, `[{"exception_id":"1","product_id":"77","combination":{"71":"91"}}]`)
	})
}
