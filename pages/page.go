package pages

import (
	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/internal/tree"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Page is a page or link of a shop.
type Page struct {
	PageID    int64  `json:"page_id,string" store:"key" bind:"-"`
	CompanyID int64  `json:"company_id,string"`
	ParentID  int64  `json:"parent_id,string" rule:"min=0"`                                                   // 0 at the top
	IDPath    string `json:"id_path" bind:"-"`                                                                // ancestors' ids and its own, joined by /
	Status    string `json:"status" rule:"oneof=A H D,default=A"`                                             // A active, H hidden, D disabled
	Type      string `json:"page_type" rule:"required,oneof=T L F B" hint:"T text, L link, F form or B post"` // T text, L link, F form, B post; fixed on creation
	Position  int64  `json:"position,string" rule:"min=0,max=int32"`                                          // among its siblings, from 0
	Timestamp int64  `json:"timestamp,string" store:"index" rule:"time,default=now"`
	resource.Stamp
	UsergroupIDs shopapi.IDList `json:"usergroup_ids" rule:"bytes=16384"` // groups that see it; 0 is everybody
	Localization string         `json:"localization" rule:"bytes=255"`

	NewWindow      int64        `json:"new_window,string" rule:"min=0,max=1"` // for links: 1 opens a new window
	UseAvailPeriod shopapi.Flag `json:"use_avail_period"`
	AvailFrom      int64        `json:"avail_from_timestamp,string" rule:"time"` // seconds since 1970; stored, without effect
	AvailTill      int64        `json:"avail_till_timestamp,string" rule:"time"`

	LangCode        string `json:"lang_code"` // the language of the request
	Name            string `json:"page" store:"fold,index,translated" rule:"required,len=255" hint:"the name of the page"`
	Description     string `json:"description" store:"fold,translated" rule:"bytes=262144,html"` // stored as sent
	MetaKeywords    string `json:"meta_keywords" store:"translated" rule:"bytes=4096"`
	MetaDescription string `json:"meta_description" store:"translated" rule:"bytes=4096"`
	PageTitle       string `json:"page_title" store:"translated" rule:"bytes=4096"`
	Link            string `json:"link" rule:"bytes=2048"` // for links

	// TreeOrder sorts the whole tree: by ancestors, siblings by position, then id. It is
	// not on the wire, and no change sets it.
	TreeOrder string `json:"-" store:"name=tree_order,index"`

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

// An Item is a page as lists show it.
type Item struct {
	Page
	Level    int64  `json:"level" store:"-" bind:"-"`              // depth, 0 at the top
	Subpages []Item `json:"subpages,omitempty" store:"-" bind:"-"` // with get_tree=true
}

var (
	table = store.MustTable[Page]("pages",
		store.Index{Columns: []string{"parent_id", "position"}},
		store.Index{Columns: []string{"company_id", "tree_order"}},
		store.Index{Columns: []string{"position"}})
	items = store.Project[Item](table)
)

// paths maintains id_path and tree_order.
var paths = &tree.Tree[Page, Item]{
	Object: "page",
	Plural: "pages",
	Table:  table,
	Row: func(p *Page) tree.Row {
		return tree.Row{
			ID: &p.PageID, ParentID: &p.ParentID, Position: &p.Position, CompanyID: &p.CompanyID,
			IDPath: &p.IDPath, TreeOrder: &p.TreeOrder,
		}
	},
	Items: items,
	Paths: store.Project[tree.Path](table),
	Item:  func(i *Item) (id, position, company int64) { return i.PageID, i.Position, i.CompanyID },
}

// Schemas returns the tables of this package, for programs that copy a shop to another
// store.
func Schemas() []*store.Schema { return store.WithTexts(table.Schema()) }

// The statuses of a page.
const (
	Active   = "A"
	Hidden   = "H"
	Disabled = "D"
)

// The types of a page. Forms and posts come from shops with such add-ons: only their
// texts are supported.
const (
	Text = "T"
	Link = "L"
	Form = "F"
	Post = "B"
)

// maxLink is the greatest length of a link, in bytes, as in its rule.
const maxLink = 2048

// Last is the position of a new page without one: after its siblings of the same
// company, in steps of 10 (decisions §7).
const Last = tree.Last
