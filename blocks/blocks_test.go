package blocks_test

import (
	"strings"
	"testing"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/blocks"
	"github.com/shopapi/shopapi/internal/shoptest"
	"github.com/shopapi/shopapi/store"
)

// everyStore runs a test over each store.
func everyStore(t *testing.T, o shopapi.Options, test func(t *testing.T, s *shoptest.Shop)) {
	t.Helper()
	shoptest.EachStore(t, func(t *testing.T, st store.Store) {
		o.Authenticator = shoptest.Staff(shopapi.Privileges{View: "view_blocks", Manage: "manage_blocks"})
		s := shoptest.New(t, st, o)
		all, err := blocks.Register(t.Context(), s.API, st)
		if err != nil {
			t.Fatal(err)
		}
		s.Dump = func() any {
			list, _, err := all.Find(t.Context(), blocks.Filter{})
			if err != nil {
				t.Error(err)
			}
			return list
		}
		test(t, s)
	})
}

func TestBlocks_Fields(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *shoptest.Shop) {
		s.Want("POST", "/api/2.0/blocks", `{"type": "html_block", "name": "Footer note", "properties": {"template": "blocks/html_block.tpl"},
			"content": {"content": "<p>Open on weekdays</p><script>alert(1)</script>"}}`, 201, `{"block_id":"1"}`)
		shared := `{"block_id":"1","type":"html_block","properties":{"template":"blocks/html_block.tpl"},"company_id":"1","lang_code":"en","name":"Footer note"`
		shoptest.SameJSON(t, s.Call(200, "GET", "/api/2.0/blocks/1", ""), shared+`,"content":{"content":"<p>Open on weekdays</p><script>alert(1)</script>"}}`)
		shoptest.SameJSON(t, s.Call(200, "GET", "/api/2.0/blocks", ""), "["+shared+"}]")
		s.Want("PUT", "/api/2.0/blocks/1", `{"content": []}`, 200, `{"block_id":"1"}`)
		shoptest.SameJSON(t, s.Call(200, "GET", "/api/2.0/blocks/1", ""), shared+"}")
		s.Call(204, "DELETE", "/api/2.0/blocks/1", "")
		s.Want("GET", "/api/2.0/blocks", "", 200, "[]")
	})
}

// In the live dialect, POST of a block returns its id as a string too (decisions §4).
func TestBlocks_LiveReplyIsAString(t *testing.T) {
	everyStore(t, shopapi.Options{Dialect: shopapi.DialectLive}, func(t *testing.T, s *shoptest.Shop) {
		s.Want("POST", "/api/blocks", `{"type": "main", "name": "Main", "properties": {"template": "main.tpl"}}`, 201, `{"block_id":"1"}`)
	})
}

func TestBlocks_TypesByEdition(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *shoptest.Shop) {
		for _, name := range blocks.Types() {
			s.Status("POST", "/api/2.0/blocks", `{"type": "`+name+`", "name": "x", "properties": {"template": "x.tpl"}}`, 201)
		}
		for _, name := range blocks.VendorTypes() {
			s.Refuses("POST", "/api/2.0/blocks", `{"type": "`+name+`", "name": "x", "properties": {"template": "x.tpl"}}`, "type")
		}
	})
	everyStore(t, shopapi.Options{Edition: shopapi.MultiVendor}, func(t *testing.T, s *shoptest.Shop) {
		for _, name := range blocks.VendorTypes() {
			s.Status("POST", "/api/2.0/blocks", `{"type": "`+name+`", "name": "x", "properties": {"template": "x.tpl"}}`, 201)
		}
		if got := s.List("/api/2.0/blocks?type=vendor_logo", "block_id"); got != "2" {
			t.Errorf("blocks of type vendor_logo: %s", got)
		}
	})
}

func TestBlocks_PropertiesAreAnObjectWithATemplate(t *testing.T) {
	everyStore(t, shopapi.Options{}, func(t *testing.T, s *shoptest.Shop) {
		for _, wrong := range []string{`"x"`, `5`, `[]`, `["template"]`, `{}`, `{"number_of_columns": "3"}`, `{"template": ""}`, `{"template": {}}`, `null`,
			`{"template": "` + strings.Repeat("x", 256<<10) + `"}`} {
			s.Refuses("POST", "/api/2.0/blocks", `{"type": "main", "name": "x", "properties": `+wrong+`}`, "properties")
		}
		s.Refuses("POST", "/api/2.0/blocks", `{"content": "x"}`, "content", "name", "properties", "type")
		if got := s.Send("POST", "/api/2.0/blocks", "type=main&name=x&properties[template]=x.tpl&properties[item_number]=Y", "Content-Type", "text/plain"); got.Status != 201 {
			t.Fatalf("a form: %d %s", got.Status, got.Body)
		}
		if got := s.Field("/api/2.0/blocks/1", "properties"); got != `{"template":"x.tpl","item_number":"Y"}` {
			t.Errorf("the properties are %s", got)
		}
	})
}

func FuzzObject(f *testing.F) {
	for _, seed := range []string{`{}`, `{"template":"x"}`, `[]`, `null`, `""`, `5`, `{"a":`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var o, again blocks.Object
		if o.UnmarshalJSON(data) != nil {
			return
		}
		text, err := o.MarshalJSON()
		if err != nil || again.UnmarshalJSON(text) != nil || again != o {
			t.Errorf("%q is read as %q, and that as %q", data, o, again)
		}
	})
}
