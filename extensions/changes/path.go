package changes

import (
	"cmp"
	"net/url"
)

// Path returns the address of a changed object, such as /api/2.0/orders/41. For a change of
// many objects it returns the address of their list.
func (l *Log) Path(c *Change) string {
	segments := []string{c.Entity}
	if c.ID != Every {
		segments = l.addressesOf(c)[0]
	}
	path := "/api/2.0"
	for _, s := range segments {
		path += "/" + url.PathEscape(s)
	}
	return path
}

// addressesOf returns the segments of the addresses at which the object of a change may be, the
// usual one first.
func (l *Log) addressesOf(c *Change) [][]string {
	if c.Parent == nil {
		return [][]string{{c.Entity, c.ID}}
	}
	l.entities() // which knows the names below parents
	segment := cmp.Or(l.addresses[[2]string{c.Parent.Entity, c.Entity}], c.Entity)
	list := [][]string{{c.Parent.Entity, c.Parent.ID, segment, c.ID}}
	if c.Entity == "discussions" {
		list = append(list, []string{c.Entity, c.ID})
	}
	return list
}
