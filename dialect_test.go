package shopapi_test

import (
	"context"
	"testing"

	"github.com/shopapi/shopapi"
)

func live(o *shopapi.Options) { o.Dialect = shopapi.Live }

// Named is an entity whose replies have an id and one more field.
type named struct {
	field, id string
}

func (n named) Describe() shopapi.Description {
	return shopapi.Description{Name: "named", IDField: n.field, Privileges: shopapi.Privileges{Manage: "manage"}}
}
func (n named) reply() (shopapi.Reply, error) {
	return shopapi.Reply{ID: n.id, More: shopapi.Map{{"more", "x"}}}, nil
}
func (n named) Create(context.Context, *shopapi.Request) (shopapi.Reply, error) { return n.reply() }
func (n named) Update(context.Context, *shopapi.Request, string) (shopapi.Reply, error) {
	return n.reply()
}

// §4: ids in the replies to POST and PUT.
func TestDialects_ReplyIDs(t *testing.T) {
	for _, test := range []struct {
		dialect   shopapi.Dialect
		entity    named
		post, put string
	}{
		{shopapi.Documented, named{"page_id", "17"}, `{"page_id":"17","more":"x"}`, `{"page_id":"17","more":"x"}`},
		{shopapi.Live, named{"page_id", "17"}, `{"page_id":17,"more":"x"}`, `{"page_id":"17","more":"x"}`},
		{shopapi.Documented, named{"product_id", "17"}, `{"product_id":"17","more":"x"}`, `{"product_id":"17","more":"x"}`},
		{shopapi.Live, named{"product_id", "17"}, `{"product_id":17,"more":"x"}`, `{"product_id":17,"more":"x"}`},
		{shopapi.Live, named{"lang_code", "en"}, `{"lang_code":"en","more":"x"}`, `{"lang_code":"en","more":"x"}`},
	} {
		s := newShop(t, func(o *shopapi.Options) { o.Dialect = test.dialect })
		if err := s.Register(test.entity); err != nil {
			t.Fatal(err)
		}
		s.do("POST", "/api/named", "a=1").want(201).is(test.post)
		s.do("PUT", "/api/named/17", "a=1").want(200).is(test.put)
	}
}

// §4: lists of the live dialect have an order for every sort_by.
func TestDialects_SortBy(t *testing.T) {
	s := newShop(t, live)
	for asked, want := range map[string]string{"name": "name", "popularity": "id", "timestamp": "id", "NAME": "id"} {
		r := s.do("GET", "/api/aisles?sort_order=desc&sort_by="+asked, "").want(200)
		if params := r.tree()["params"].(map[string]any); params["sort_by"] != want || params["sort_order"] != "desc" {
			t.Errorf("sort_by=%s: %v, want by %s", asked, params, want)
		}
	}
	newShop(t).do("GET", "/api/aisles?sort_by=popularity", "").want(400)
}

// §4: GET /api/?version.
func TestDialects_Version(t *testing.T) {
	banner := func(o *shopapi.Options) {
		o.Banner = shopapi.Banner{Brand: "Sh<op", Version: "1.2.3", Edition: "ULTIMATE"}
	}
	s := newShop(t, live, banner)
	for _, address := range []string{"/api/?version", "/api?version", "/api/2.0/?version", "/api/?version=", "/api.php?version"} {
		for _, h := range []header{anonymous, as("root@example.com", "key"), as("root@example.com", "wrong")} {
			s.do("GET", address, "", h).want(200).is("Sh&lt;op <b>1.2.3</b> ULTIMATE").has("Content-Type", "text/html; charset=utf-8")
		}
	}
	s.do("HEAD", "/api/?version", "", anonymous).want(200).is("")
	s.do("GET", "/api/aisles?version", "", anonymous).want(401)
	s.do("GET", "/api/9.0/?version", "", anonymous).want(401)
	s.do("POST", "/api/?version", "", anonymous).want(401)
	s.do("GET", "/api/", "", anonymous).want(401)

	newShop(t, live).do("GET", "/api/?version", "").want(404)
	documented := newShop(t, banner)
	documented.do("GET", "/api/?version", "").want(404)
	documented.do("GET", "/api/?version", "", anonymous).want(401)
}
