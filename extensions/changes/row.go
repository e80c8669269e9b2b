package changes

import (
	"slices"
	"strings"
	"sync"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/store"
)

// A row is a change as the log stores it. Where transactions run side by side, seq is 0
// until the row has its position.
type row struct {
	ID             int64  `json:"id" store:"key"`
	Seq            int64  `json:"seq"`
	Time           int64  `json:"time"`
	Entity         string `json:"entity"`
	Object         string `json:"object"`
	ParentEntity   string `json:"parent_entity"`
	Parent         string `json:"parent"`
	Op             string `json:"op"`
	Fields         string `json:"fields"`
	User           int64  `json:"user_id"`
	Company        int64  `json:"company_id"`
	Audience       int64  `json:"audience"`
	Moved          bool   `json:"moved"` // Former differ from Company and Audience
	FormerCompany  int64  `json:"former_company"`
	FormerAudience int64  `json:"former_audience"`
	Status         string `json:"status"`
	Previous       string `json:"previous_status"`

	// Total is the size of the row and of all before it in the log, in bytes. Like the
	// position, it is 0 until the row has one.
	Total int64 `json:"total_bytes"`
}

var rows = store.MustTable[row]("change_log")

// A head is the state of the log in the database: one row.
type head struct {
	ID   int64  `json:"id" store:"key"`
	Name string `json:"name"` // begins every position
	On   bool   `json:"switched_on"`

	// Start is the position at which the log of this name begins.
	Start int64 `json:"start_seq"`
}

var heads = store.MustTable[head]("change_log_head")

const headID = 1

// Schemas returns the tables of the log.
func Schemas() []*store.Schema { return []*store.Schema{rows.Schema(), heads.Schema()} }

// SchemasIn returns the tables of the log as a store has them, for programs that create all of their
// tables at once: only where rows get their positions after the commits is there an index over
// positions, which costs each row that is written.
func SchemasIn(st store.Store) (list []*store.Schema, err error) {
	list = Schemas()
	if _, concurrent := st.(store.TableLocker); concurrent {
		list[0], err = indexed()
	}
	return list, err
}

var indexed = sync.OnceValues(func() (*store.Schema, error) {
	return store.NewSchema(rows.Schema().Name, rows.Schema().Columns, store.Index{Columns: []string{"seq"}})
})

// Every is the id in a change that covers many objects: read the entity again.
const Every = "*"

// The operations of changes.
const (
	Created = "created"
	Updated = "updated"
	Deleted = "deleted"
)

// maxFields is how many fields a change names.
const maxFields = 32

var operations = map[shopapi.Operation]string{
	shopapi.OpCreate: Created, shopapi.OpUpdate: Updated, shopapi.OpDelete: Deleted,
}

// fieldsText is how fields are stored. Names have no commas.
func fieldsText(fields []string) string {
	if fields == nil || len(fields) > maxFields || slices.Contains(fields, Every) {
		return Every
	}
	return strings.Join(fields, ",")
}

func (r *row) own() shopapi.Ownership {
	return shopapi.Ownership{CompanyID: r.Company, Audience: shopapi.Audience(r.Audience)}
}

func (r *row) former() shopapi.Ownership {
	return shopapi.Ownership{CompanyID: r.FormerCompany, Audience: shopapi.Audience(r.FormerAudience)}
}
