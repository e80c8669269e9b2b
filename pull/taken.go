package pull

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/shopapi/shopapi/store"
)

// A taken is one object as this shop stores it: rows of one or several tables.
type taken struct {
	entity string
	id     string
	raw    *object
	parts  []part
	listed digest // of what lists show of it, where that is known
}

// A part is the rows of one table that belong to an object: the rows with value in the
// column owner. The first part of an object is its own row.
type part struct {
	schema *store.Schema
	owner  string
	of     store.Value
	rows   []row
	below  store.Cond // matches the rows in place of owner, where it is set
	and    store.Cond // matches them beside owner, where it is set

	// keyed says that the keys of the rows were read too. Rows without are given keys
	// here, and are the same whatever these are.
	keyed bool

	// linked says that of is the key of the object's own row, which is given here.
	linked bool

	// kept are columns that the other server does not send: an existing row keeps them.
	kept []string

	// optional says that rows of the part count only where there are some: servers without
	// such rows, and runs of versions without the part, have the same hash.
	optional bool

	// ordered says that the order of the rows counts: new ones are the last.
	ordered bool

	// unread says that the rows could not be read: the stored rows stay.
	unread bool

	// unreadIn are languages of which the texts could not be read: the stored texts stay.
	unreadIn []string

	// follows are columns that change here without a change of the object, such as the
	// stock that orders take.
	follows []string
}

// where matches the rows of a part that are in the store.
func (p *part) where() []store.Cond {
	if p.below.Column != "" {
		return []store.Cond{p.below}
	}
	conds := []store.Cond{store.Equal(p.owner, p.of)}
	if p.and.Column != "" {
		conds = append(conds, p.and)
	}
	return conds
}

// keepUnread puts the stored rows that could not be read in place of the rows that were read.
func (p *part) keepUnread(have []row) {
	if p.unread {
		p.rows = have
	}
	if len(p.unreadIn) == 0 {
		return
	}
	language := p.schema.Index(store.TextLanguage)
	p.rows = slices.Clone(p.rows)
	for _, r := range have {
		if slices.Contains(p.unreadIn, r[language].Text()) {
			p.rows = append(p.rows, r)
		}
	}
}

// own is a part with the row of the object itself.
func own(s *store.Schema, r row) part {
	return part{schema: s, owner: s.Key(), of: r[0], rows: []row{r}, keyed: true}
}

// A digest is the hash of the rows of an object, or of what lists show of it. The zero digest
// is none.
type digest [16]byte

// text is the digest in hexadecimal, "" for none.
func (d digest) text() string {
	if d == (digest{}) {
		return ""
	}
	return hex.EncodeToString(d[:])
}

// sum returns the hash of all rows, independently of their order. With here, it leaves
// out columns that change without a change of the object.
func sum(parts []part, here bool) digest {
	h := sha256.New()
	for i := range parts {
		p := &parts[i]
		switch {
		case p.unread && !here:
			h.Write([]byte(p.schema.Name + " was not read"))
			continue
		case len(p.unreadIn) > 0 && !here:
			h.Write([]byte(p.schema.Name + " was not read in " + strings.Join(p.unreadIn, ",")))
		case p.optional && len(p.rows) == 0:
			continue
		}
		lines := make([]string, len(p.rows))
		for n, r := range p.rows {
			lines[n] = p.line(r, here)
		}
		slices.Sort(lines)
		h.Write([]byte(p.schema.Name))
		for _, line := range lines {
			h.Write([]byte(line))
		}
	}
	return digest(h.Sum(nil)[:16])
}

// digestOf returns the hash of texts.
func digestOf(texts ...string) digest {
	h := sha256.New()
	for _, text := range texts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		h.Write([]byte(text))
	}
	return digest(h.Sum(nil)[:16])
}

// line is a row as the hash has it.
func (p *part) line(r row, here bool) string {
	var b []byte
	for i, v := range r {
		name := p.schema.Columns[i].Name
		if i == 0 && !p.keyed || p.linked && name == p.owner || slices.Contains(p.kept, name) || here && slices.Contains(p.follows, name) {
			continue
		}
		switch {
		case v.IsNull():
			b = append(b, 'n')
		case v.IsText():
			b = binary.BigEndian.AppendUint64(append(b, 't'), uint64(len(v.Text())))
			b = append(b, v.Text()...)
		default:
			b = binary.BigEndian.AppendUint64(append(b, 'i'), uint64(v.Int()))
		}
	}
	return string(b)
}
