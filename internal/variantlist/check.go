package variantlist

import (
	"github.com/shopapi/shopapi"
)

// Check reports the problems of the variants that an object is to have: ids of other variants,
// repeated ids, and the problem that the function returns for each variant and what it was,
// zero for a new one.
func (k *Kind[T]) Check(had, list []T, problems *shopapi.Problems, problem func(v, old *T) (string, error)) error {
	known, named := k.ByID(had), make(map[int64]bool, len(list))
	for i := range list {
		v := &list[i]
		id := *k.Of(v).ID
		old := known[id]
		switch {
		case id == 0:
		case old == nil:
			problems.Add("variants", "must have ids of variants of the %s, or none for new ones, not %d", k.Owner, id)
		case named[id]:
			problems.Add("variants", "must name the variant %d once only", id)
		}
		named[id] = true
		if old == nil {
			old = new(T)
		}
		wrong, err := problem(v, old)
		if err != nil {
			return err
		}
		if wrong != "" {
			problems.Add("variants", "[%s]: %s", called(id, i), wrong)
		}
	}
	return nil
}

// called says in messages which variant of a list is meant.
func called(id int64, i int) string {
	if id != 0 {
		return shopapi.FormatID(id)
	}
	return "number " + shopapi.FormatID(int64(i+1))
}

// Problem returns the problem of one variant, "" for none: normalize, which may be nil, brings
// it into its form, and then check checks it without its unchanged fields. had is what the
// variant was, zero for a new one.
func (k *Kind[T]) Problem(had, v *T, normalize, check func(*shopapi.Problems)) (string, error) {
	var problems shopapi.Problems
	if normalize != nil {
		normalize(&problems)
	}
	if *k.Of(had).ID != 0 {
		changed, err := k.Table.Changed(had, v)
		if err != nil {
			return "", err
		}
		problems.SkipAllBut(changed, k.Table.Schema())
	}
	check(&problems)
	return Words(problems.Err()), nil
}
