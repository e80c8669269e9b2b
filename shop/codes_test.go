package shop_test

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
)

// oneCode are parameters that choose among the forms of a list.
var oneCode = []string{"pages get_tree"}

// Each filter with a closed set of codes takes several, to 50, as x=A,B and as x[]=A&x[]=B,
// and refuses unknown ones (decisions §26).
func TestFilters_26_SeveralCodes(t *testing.T) {
	t.Parallel()
	s, c := openFilled(t)
	compared := 0
	for _, d := range s.Descriptions() {
		if d.Filter == nil || !slices.Contains(d.Operations, shopapi.OpList) {
			continue
		}
		for _, f := range reflect.VisibleFields(d.Filter) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			isCodes, rule := f.Tag.Get("bind") == "codes", f.Tag.Get("rule")
			if !isCodes && f.Type.Kind() == reflect.String && strings.Contains(rule, "oneof") && !slices.Contains(oneCode, d.Name+" "+name) {
				t.Errorf("%s: the filter %s takes one code alone", d.Name, name)
			}
			if isCodes && c.Get("/api/2.0/"+d.Name).Status == 200 {
				compared++
				checkCodes(t, c, d.Name, name)
			}
		}
	}
	if compared < 20 {
		t.Errorf("%d filters were compared", compared)
	}
}

// checkCodes checks a filter with the codes that objects of an entity have.
func checkCodes(t *testing.T, c *apitest.Client, entity, name string) {
	t.Helper()
	list := func(query string) []string {
		t.Helper()
		a := c.Get("/api/2.0/" + entity + "?items_per_page=1000&" + query)
		if a.Status != 200 {
			t.Errorf("%s?%s: %d %s", entity, query, a.Status, a.Body)
			return nil
		}
		var ids []string
		for _, item := range itemsOf(t, a.Body) {
			ids = append(ids, fmt.Sprint(item))
		}
		slices.Sort(ids)
		return ids
	}
	has := map[string]bool{}
	for _, item := range itemsOf(t, c.Get("/api/2.0/"+entity+"?items_per_page=1000&fields=*").Body) {
		if code, ok := item[name].(string); ok && code != "" {
			has[url.QueryEscape(code)] = true
		}
	}
	codes := slices.Sorted(maps.Keys(has))
	var each []string
	for _, code := range codes {
		found := list(name + "=" + code)
		if len(found) == 0 {
			t.Errorf("%s?%s=%s has nothing", entity, name, code)
		}
		each = append(each, found...)
	}
	slices.Sort(each)
	if len(codes) > 0 {
		for _, query := range []string{name + "=" + strings.Join(codes, ","), name + "[]=" + strings.Join(codes, "&"+name+"[]=")} {
			if got := list(query); !slices.Equal(got, each) {
				t.Errorf("%s?%s has %d items, want %d", entity, query, len(got), len(each))
			}
		}
	}
	refused := []string{strings.Join(fiftyOne, ",")}
	if entity != "statuses" { // which lists the codes themselves
		refused = append(refused, "?", strings.Join(append(codes, "?"), ","))
	}
	for _, wrong := range refused {
		if a := c.Get("/api/2.0/" + entity + "?" + name + "=" + url.QueryEscape(wrong)); a.Status != 400 || !strings.Contains(a.Body, `"`+name+`"`) {
			t.Errorf("%s?%s=%s: %d %s", entity, name, wrong, a.Status, a.Body)
		}
	}
}

var fiftyOne = func() (codes []string) {
	for i := range 51 {
		codes = append(codes, fmt.Sprint("c", i))
	}
	return codes
}()
