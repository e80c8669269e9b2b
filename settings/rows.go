package settings

import (
	"context"
	"errors"

	"github.com/shopapi/shopapi/store"
)

// A section is the stored id of a section or tab.
type section struct {
	SectionID int64  `json:"section_id" store:"key"`
	ParentID  int64  `json:"parent_id"` // 0 unless it is a tab
	Name      string `json:"name"`
}

// A number is the stored id of a setting.
type number struct {
	ObjectID  int64  `json:"object_id" store:"key"`
	SectionID int64  `json:"section_id"`
	Name      string `json:"name"`
}

// A value is a written value, of the whole shop (company 0) or a storefront.
type value struct {
	ValueID   int64  `json:"value_id" store:"key"`
	ObjectID  int64  `json:"object_id"`
	CompanyID int64  `json:"company_id"`
	Value     string `json:"value"`
}

var (
	sections = store.MustTable[section]("settings_sections", store.Index{Columns: []string{"parent_id", "name"}, Unique: true})
	numbers  = store.MustTable[number]("settings_numbers", store.Index{Columns: []string{"section_id", "name"}, Unique: true})
	values   = store.MustTable[value]("settings_values",
		store.Index{Columns: []string{"company_id", "object_id"}, Unique: true})
)

// Schemas returns the tables of this package, for programs that copy a shop to another
// store.
func Schemas() []*store.Schema {
	return []*store.Schema{sections.Schema(), numbers.Schema(), values.Schema()}
}

// number sets the ids of settings and sections from the database, and assigns missing
// ones. If another process assigned them at the same time, it runs again and finds
// those.
func (s *Settings) number(ctx context.Context, list []*declared) error {
	give := func() error {
		return s.st.Update(ctx, func(_ context.Context, tx store.Tx) error {
			for _, d := range list {
				if err := d.number(tx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := give()
	if errors.Is(err, store.ErrConflict) {
		err = give()
	}
	return err
}

func (d *declared) number(tx store.Tx) (err error) {
	if d.sectionID, err = sectionID(tx, 0, d.Section); err != nil {
		return err
	}
	if d.tabID = 0; d.Tab != "" {
		if d.tabID, err = sectionID(tx, d.sectionID, d.Tab); err != nil {
			return err
		}
	}
	n, err := numbers.First(tx, store.Query{Where: []store.Cond{
		store.Equal("section_id", store.Int(d.sectionID)), store.Equal("name", store.String(d.Name)),
	}})
	if errors.Is(err, store.ErrNotFound) {
		n = number{SectionID: d.sectionID, Name: d.Name}
		err = numbers.Insert(tx, &n)
	}
	d.objectID = n.ObjectID
	return err
}

func sectionID(tx store.Tx, parent int64, name string) (int64, error) {
	found, err := sections.First(tx, store.Query{Where: []store.Cond{
		store.Equal("parent_id", store.Int(parent)), store.Equal("name", store.String(name)),
	}})
	if errors.Is(err, store.ErrNotFound) {
		found = section{ParentID: parent, Name: name}
		err = sections.Insert(tx, &found)
	}
	return found.SectionID, err
}
