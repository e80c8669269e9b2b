package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A kiln is an object of the host's own. The names of its fields do not say what they contain.
type kiln struct {
	KilnID  int64  `json:"kiln_id,string" store:"key" bind:"-"`
	Serial  string `json:"name"`
	Called  string `json:"called" rule:"required,len=100" hint:"what everybody calls the kiln"`
	Keeper  int64  `json:"keeper,string"`
	Fired   int64  `json:"fired,string"`
	History string `json:"history"`
	Remarks string `json:"remarks"`
}

// TestE12_HostDisplay: the pages of an entity of the host's show what its description says: the
// label, the columns, the objects that fields name, and the controls of fields.
func TestE12_HostDisplay(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, everything())
	s.Clock.Set(time.Now())
	_, err := resource.Register(t.Context(), s.API, s.Store, resource.Definition[kiln, kiln]{
		Name:       "kilns",
		Object:     "kiln",
		Summary:    "Where the pots are fired.",
		Privileges: shopapi.Privileges{View: "view_catalog", Manage: "manage_catalog"},
		Table:      store.MustTable[kiln]("kilns"),
		Sorts:      []resource.Sort{{Key: "id", Column: "kiln_id"}},
		Display: shopapi.Display{
			Label:     "called",
			Columns:   []string{"fired", "called", "keeper"},
			Relations: map[string]string{"keeper": "users"},
			Widgets:   map[string]shopapi.Widget{"fired": shopapi.WidgetTime, "history": shopapi.WidgetHTML, "remarks": shopapi.WidgetLines},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	keeper := s.Post("/api/2.0/users", `{"email": "ana@example.com", "firstname": "Ana", "lastname": "Bo", "user_type": "C"}`).Field("user_id")
	s.Post("/api/2.0/kilns", `{"name": "K-1", "called": "Big Bertha", "fired": "1767225600", "history": "<p>Built <b>by hand</b>.</p>"}`)
	b := open(t, s, desk, tall)
	b.signIn(s.Email, s.Key)
	b.click("nav a", "Kilns")
	b.sees("th.label a", "Big Bertha")
	if got := evaluate[string](b, `[...document.querySelectorAll("thead th:not(.tick)")].map(e => e.innerText).join()`); got != "Fired,Called,Keeper" {
		t.Errorf("the list has the columns %s", got)
	}
	b.sees("td time", "2026")
	h := b.task(t)
	h.click("th.label a", "Big Bertha")
	h.sees("h1", "Big Bertha")
	h.sees(".rich-text b", "by hand")
	if kinds := evaluate[string](b, `[document.querySelector("#field-fired").type, document.querySelector("#field-remarks").tagName, document.querySelector("#field-name").type].join()`); kinds != "datetime-local,TEXTAREA,text" {
		t.Errorf("the controls are %s", kinds)
	}
	h.click("#field-keeper input", "")
	h.picks("ana", "Ana Bo")
	h.do(chromedp.Evaluate(`document.querySelector("#field-fired").value = "2026-11-25T12:00:00"`, nil))
	h.click("button", "Save")
	h.sees("#status", "Saved")
	if a := s.Get("/api/2.0/kilns/1"); a.Field("keeper") != keeper || a.Field("fired") == "1767225600" || a.Field("history") != "<p>Built <b>by hand</b>.</p>" {
		t.Errorf("the kiln is %s", a.Body)
	}
	h.click("nav a", "Kilns")
	h.click("td[data-name=Keeper] a", keeper)
	h.sees("h1", "Ana Bo")
	again := open(t, s, desk, tall) // a page that has not said "Saved"
	again.signIn(s.Email, s.Key)
	again.goTo("#/kilns/1")
	h = again.task(t)
	h.sees("#field-keeper .pick", "Ana Bo") // the name moves the button
	h.click("#field-keeper .drop", "×")
	h.click("button", "Save")
	h.sees("#status", "Saved")
	if got := s.Get("/api/2.0/kilns/1").Field("keeper"); got != "0" {
		t.Errorf("the kiln has the keeper %s", got)
	}
	if heard := append(b.heard(), again.heard()...); len(heard) > 0 {
		t.Errorf("the browser complains: %q", strings.Join(heard, "\n"))
	}
}
