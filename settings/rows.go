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
			known, err := readAssigned(tx)
			if err != nil {
				return err
			}
			for _, d := range list {
				if err := d.number(tx, known); err != nil {
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

// assigned are the ids in the database, which are read at once: each read of a store over a network
// takes a round trip.
type assigned struct {
	sections map[section]int64 // by parent and name
	numbers  map[number]int64  // by section and name
}

func readAssigned(tx store.Tx) (assigned, error) {
	a := assigned{map[section]int64{}, map[number]int64{}}
	err := sections.Each(tx, store.Query{}, func(s *section) error {
		a.sections[section{ParentID: s.ParentID, Name: s.Name}] = s.SectionID
		return nil
	})
	if err != nil {
		return a, err
	}
	return a, numbers.Each(tx, store.Query{}, func(n *number) error {
		a.numbers[number{SectionID: n.SectionID, Name: n.Name}] = n.ObjectID
		return nil
	})
}

func (d *declared) number(tx store.Tx, a assigned) (err error) {
	if d.sectionID, err = a.section(tx, 0, d.Section); err != nil {
		return err
	}
	if d.tabID = 0; d.Tab != "" {
		if d.tabID, err = a.section(tx, d.sectionID, d.Tab); err != nil {
			return err
		}
	}
	key := number{SectionID: d.sectionID, Name: d.Name}
	id, ok := a.numbers[key]
	if !ok {
		n := key
		err = numbers.Insert(tx, &n)
		id = n.ObjectID
	}
	d.objectID = id
	return err
}

func (a assigned) section(tx store.Tx, parent int64, name string) (int64, error) {
	key := section{ParentID: parent, Name: name}
	if id, ok := a.sections[key]; ok {
		return id, nil
	}
	added := key
	err := sections.Insert(tx, &added)
	a.sections[key] = added.SectionID
	return added.SectionID, err
}
