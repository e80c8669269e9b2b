package orders

import (
	"cmp"
	"context"
	"maps"
	"strings"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A Status is one of the states that an order can be in (decisions §20).
type Status struct {
	StatusID    int64        `json:"status_id,string" store:"key" bind:"-"`
	Status      string       `json:"status" bind:"-"`                            // the letter that orders have
	Type        string       `json:"type" rule:"oneof=O,default=O" empty:"true"` // O, of orders
	IsDefault   shopapi.Flag `json:"is_default"`                                 // it cannot be deleted
	Description string       `json:"description" store:"fold,translated" rule:"required,len=255" hint:"the title of the status"`
	EmailSubj   string       `json:"email_subj" store:"translated" rule:"len=255"`
	EmailHeader string       `json:"email_header" store:"translated" rule:"bytes=65536,html"` // the beginning of the e-mail
	LangCode    string       `json:"lang_code"`                                               // asked for
	Params      Params       `json:"params"`

	Custom shopapi.Custom `json:"-" store:"-"` // the custom fields
}

var statuses = store.MustTable[Status]("statuses",
	store.Index{Columns: []string{"status"}, Unique: true},
	store.Index{Columns: []string{"description"}})

// The statuses that are there from the start.
const (
	Processed    = "P"
	Complete     = "C"
	Open         = "O" // that of new orders
	Failed       = "F"
	Declined     = "D"
	Backordered  = "B"
	Cancelled    = "I"
	AwaitingCall = "Y"
)

// stock are the statuses that are there from the start.
var stock = []Status{
	stockStatus(Processed, "Processed", true, "#00ff00"),
	stockStatus(Complete, "Complete", true, "#97cf4d"),
	stockStatus(Open, "Open", true, "#ff9522"),
	stockStatus(Failed, "Failed", false, "#ff5215"),
	stockStatus(Declined, "Declined", false, "#ff5215"),
	stockStatus(Backordered, "Backordered", true, "#28abf6"),
	stockStatus(Cancelled, "Cancelled", false, "#c2c2c2"),
	stockStatus(AwaitingCall, "Awaiting call", true, "#cc4125"),
}

func stockStatus(letter, name string, takes bool, color string) Status {
	inventory := givesStock
	if takes {
		inventory = takesStock
	}
	return Status{
		Status: letter, Type: orderType, IsDefault: true, Description: name,
		EmailSubj: "has been changed to " + strings.ToLower(name),
		Params: Params{
			"allow_return": "N", "repay": "N", "notify": "Y", paramInventory: inventory,
			"color": color, "remove_cc_info": "N",
		},
	}
}

const (
	orderType      = "O"
	paramInventory = "inventory"
	takesStock     = "D"
	givesStock     = "I"

	// reserved letters are statuses of orders that are not placed: incomplete orders, and
	// the parts of a divided order.
	reserved = "NT"
	letters  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

	maxText = 255 // characters of the values of parameters
)

// TakesStock reports whether orders in the status hold their goods.
func (s *Status) TakesStock() bool { return s.Params[paramInventory] == takesStock }

// isStock reports whether the status is a default status.
func (s *Status) isStock() bool {
	for i := range stock {
		if stock[i].Status == s.Status {
			return true
		}
	}
	return false
}

// keepStatus restores what no change of a status alters, and the parameters that a
// change does not name.
func keepStatus(after, before *Status, _ *shopapi.Problems) {
	after.Status = before.Status
	if before.StatusID == 0 {
		return
	}
	after.Type = cmp.Or(after.Type, before.Type)
	for name, value := range before.Params {
		if _, sent := after.Params[name]; !sent {
			if after.Params == nil {
				after.Params = Params{}
			}
			after.Params[name] = value
		}
	}
}

// checkStatus reports the problems of a status, and assigns the letter of a new one.
func checkStatus(_ context.Context, tx store.Tx, before, s *Status, problems *shopapi.Problems) error {
	if problem := s.Params.problem(); problem != "" && !problems.Skips("params") {
		problems.Add("params", "%s", problem)
	}
	if before.StatusID != 0 || problems.Err() != nil {
		return nil
	}
	if s.Params[paramInventory] == "" {
		s.Params = maps.Clone(s.Params)
		if s.Params == nil {
			s.Params = Params{}
		}
		s.Params[paramInventory] = takesStock // decisions §26
	}
	letter, err := freeLetter(tx)
	if err == nil && letter == "" {
		problems.Add("status", "cannot be given: all letters and digits have a status")
	}
	s.Status = letter
	return err
}

// freeLetter is the letter of a new status, "" when none is free.
func freeLetter(tx store.Tx) (string, error) {
	taken := map[string]bool{}
	err := statuses.Each(tx, store.Query{}, func(s *Status) error {
		taken[s.Status] = true
		return nil
	})
	for letter := range strings.SplitSeq(letters, "") {
		if !taken[letter] && !strings.Contains(reserved, letter) {
			return letter, err
		}
	}
	return "", err
}

// A StatusFilter says which statuses a list holds. Its zero value is all of them.
type StatusFilter struct {
	resource.ListOptions
	Status string `json:"status" bind:"codes" match:"equal"` // letters, separated by commas
	Type   string `json:"type" bind:"codes" rule:"oneof=O" match:"equal"`
}

var statusSorts = []resource.Sort{
	{Key: "status_id", Column: "status_id"},
	{Key: "description", Column: "description"},
	{Key: "status", Column: "status"},
}
