package pull

import (
	"encoding"
	"encoding/json"

	"github.com/shopapi/shopapi/images"
	"github.com/shopapi/shopapi/internal/wire"
	"github.com/shopapi/shopapi/store"
)

// entities returns all pulled entities, each after the entities that it refers to.
func entities() []entity {
	return []entity{
		settingsEntity,
		companyCollection("stores").entity(), companyCollection("vendors").entity(),
		languageCollection.entity(), langvarCollection.entity(),
		usergroupCollection.entity(), userCollection.entity(),
		statusCollection.entity(), taxCollection.entity(), paymentCollection.entity(), shippingCollection.entity(),
		categoryCollection.entity(), featureCollection.entity(), productCollection.entity(),
		perProduct{optionCollection, func(p *puller) []productID { return p.products }}.entity(),
		perProduct{combinationCollection, (*puller).productsWithOptions}.entity(),
		perProduct{exceptionCollection, (*puller).productsWithOptions}.entity(),
		variationGroupCollection.entity(),
		discussionCollection.entity(), pageCollection.entity(), blockCollection.entity(), cartCollection.entity(),
		orderCollection.entity(), shipmentCollection.entity(), callRequestCollection.entity(),
	}
}

// A columns has the values of columns that are not read by their name.
type columns = map[string]store.Value

// canonical is a field in the form in which a type stores it.
func canonical[T encoding.TextMarshaler, P interface {
	*T
	json.Unmarshaler
}](o *object, field string, into P) store.Value {
	raw := o.members[field]
	if len(raw) == 0 {
		raw = json.RawMessage("null")
	}
	if wire.IsEmpty(raw) {
		raw = json.RawMessage("[]")
	}
	if err := into.UnmarshalJSON(raw); err != nil {
		o.problem(field, err.Error())
	}
	text, err := T(*into).MarshalText()
	if err != nil {
		o.problem(field, err.Error())
	}
	return store.String(string(text))
}

// compact is a field as JSON without white space, "" where it is empty.
func compact(o *object, field string) store.Value {
	text, err := wire.Compact(o.members[field])
	if err != nil {
		o.problem(field, "is no JSON")
	}
	return store.String(o.clean(field, text, o.members[field]))
}

// pair is an image pair as a column holds it.
func (p *puller) pair(o *object, field string) store.Value {
	pair := p.readPair(o, field, o.members[field], 0)
	text, err := pair.MarshalText()
	if err != nil {
		o.problem(field, err.Error())
	}
	return store.String(string(text))
}

// pairs are the further images of an object.
func (p *puller) pairs(o *object, field string) store.Value {
	var pairs images.Pairs
	for i, e := range o.list(field) {
		pairs = append(pairs, p.readPair(o, field, e.Value, int64(i)))
	}
	pairs.Normalize()
	text, err := pairs.MarshalText()
	if err != nil {
		o.problem(field, err.Error())
	}
	return store.String(string(text))
}

func (p *puller) readPair(o *object, field string, raw json.RawMessage, position int64) images.Pair {
	var pair images.Pair
	if wire.IsEmpty(raw) {
		return pair
	}
	_ = pair.UnmarshalJSON(raw) // it never fails
	if pair.Invalid != "" {
		o.problem(field, "is no image pair, and was left out")
		return images.Pair{}
	}
	if pair.IsZero() {
		return pair
	}
	members, _ := parseObject(raw)
	pair.PairID, _ = wholeNumber(members["pair_id"])
	if members["position"] == nil {
		pair.Position = position
	}
	for _, image := range []*images.Image{&pair.Detailed, &pair.Icon} {
		image.Path = p.pictures.take(o, field, image.Path)
	}
	if pair.PairID <= longest {
		p.pairIDs.Store(max(p.pairIDs.Load(), pair.PairID))
	}
	return pair
}
