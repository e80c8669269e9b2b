package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// A snapshot is the whole content of the shop, as its lists show it, while nothing
// writes.
type snapshot struct {
	models   map[string]model // by worker
	counter  int              // position of the workers' common category
	stock    map[int64]int    // of the products that all workers order
	combined int              // the stock of the combination of one of them
	broken   []string         // contradictions inside the shop

	catalogue []product
}

// A category has the fields that are checked.
type category struct {
	ID           int64  `json:"category_id,string"`
	ParentID     int64  `json:"parent_id,string"`
	IDPath       string `json:"id_path"`
	Name         string `json:"category"`
	Position     int    `json:"position,string"`
	Status       string `json:"status"`
	ProductCount int    `json:"product_count,string"`
}

// A product has the fields that are checked.
type product struct {
	ID           int64   `json:"product_id,string"`
	Name         string  `json:"product"`
	Code         string  `json:"product_code"`
	Price        string  `json:"price"`
	Amount       int     `json:"amount,string"`
	CategoryIDs  []int64 `json:"category_ids"`
	MainCategory int64   `json:"main_category"`
}

// A post has the fields that are checked.
type post struct {
	ID       int64  `json:"post_id,string"`
	ThreadID string `json:"thread_id"`
	Name     string `json:"name"`
	Message  string `json:"message"`
	Rating   string `json:"rating_value"`
	Status   string `json:"status"`
}

// statusOf and the functions below return the fields of a version.
func statusOf(version int) string { return [...]string{"A", "D"}[version%2] }
func ratingOf(version int) string { return strconv.Itoa(1 + version%5) }
func priceOf(version int) string  { return strconv.Itoa(version) + ".00" }

// read reads the whole shop.
func read(ctx context.Context, c *client, goods sale, owners map[int64]string) (*snapshot, error) {
	s := &snapshot{models: map[string]model{}, stock: map[int64]int{}}
	var tree []category
	if _, err := c.get(ctx, categories, &tree); err != nil {
		return nil, err
	}
	catalogue, err := list[product](ctx, c, products, "?sort_by=code")
	if err != nil {
		return nil, err
	}
	posts, err := list[post](ctx, c, discussions, "?object_type=E")
	if err != nil {
		return nil, err
	}
	sold, err := readOrders(ctx, c, goods)
	if err != nil {
		return nil, err
	}
	sent, err := list[shipment](ctx, c, shipments, "?sort_by=shipment_id")
	if err != nil {
		return nil, err
	}
	planned, err := readCarts(ctx, c, owners)
	if err != nil {
		return nil, err
	}
	var combination struct {
		Amount int `json:"amount,string"`
	}
	if _, err := c.get(ctx, key{"combinations", goods.combination}.path(), &combination); err != nil {
		return nil, err
	}
	s.combined, s.catalogue = combination.Amount, catalogue
	s.addTree(tree)
	s.addProducts(catalogue, tree)
	s.addImported(catalogue, 0)
	s.addPosts(posts)
	s.addOrders(sold, goods)
	s.addShipments(sent)
	s.addCarts(planned, goods, owners)
	return s, nil
}

// pageSize is the maximum size of a page.
const pageSize = 1000

// list reads all pages of a list, and checks that the number of objects equals the
// total.
func list[T any](ctx context.Context, c *client, entity, query string) (all []T, err error) {
	for page := 1; ; page++ {
		var body map[string]json.RawMessage
		if _, err := c.get(ctx, fmt.Sprintf("%s%s&items_per_page=%d&page=%d", entity, query, pageSize, page), &body); err != nil {
			return nil, err
		}
		var items []T
		var params struct {
			Total int `json:"total_items,string"`
		}
		if err := errors.Join(json.Unmarshal(body[entity], &items), json.Unmarshal(body["params"], &params)); err != nil {
			return nil, err
		}
		all = append(all, items...)
		if len(items) == pageSize {
			continue
		}
		if len(all) != params.Total {
			err = fmt.Errorf("%s lists %d objects and says that there are %d", entity, len(all), params.Total)
		}
		return all, err
	}
}

// add records the state of a worker's object.
func (s *snapshot) add(k key, text string, half bool, st state) {
	name, version, ok := parseTitle(text)
	if !ok {
		return
	}
	if half {
		s.broken = append(s.broken, fmt.Sprintf("half written: %s, %q", k.path(), text))
	}
	st.name, st.version = name, version
	m := s.models[owner(name)]
	if m == nil {
		m = model{}
		s.models[owner(name)] = m
	}
	m[k] = st
}

// addTree records the categories, and checks that each path follows from the parent's.
func (s *snapshot) addTree(tree []category) {
	paths := map[int64]string{}
	for _, c := range tree { // parents come before their children
		want := strconv.FormatInt(c.ID, 10)
		if c.ParentID != 0 {
			want = paths[c.ParentID] + "/" + want
		}
		if paths[c.ID] = c.IDPath; c.IDPath != want {
			s.broken = append(s.broken, fmt.Sprintf("category %d below %d has the path %s, want %s", c.ID, c.ParentID, c.IDPath, want))
		}
		if c.Name == counterName {
			s.counter = c.Position
			continue
		}
		_, version, _ := parseTitle(c.Name)
		half := c.Position != version || c.Status != statusOf(version)
		s.add(key{categories, c.ID}, c.Name, half, state{parent: c.ParentID})
	}
}

// addProducts records the products, and checks the categories' counts of them.
func (s *snapshot) addProducts(catalogue []product, tree []category) {
	counts := map[int64]int{}
	for _, p := range catalogue {
		for _, id := range p.CategoryIDs {
			counts[id]++
		}
		if p.Name == stockName || p.Name == otherName {
			s.stock[p.ID] = p.Amount
		}
		main := p.MainCategory
		if len(p.CategoryIDs) == 0 && main != 0 || len(p.CategoryIDs) > 0 && !slices.Contains(p.CategoryIDs, main) {
			s.broken = append(s.broken, fmt.Sprintf("product %d of the categories %v has the main category %d", p.ID, p.CategoryIDs, main))
		}
		_, version, _ := parseTitle(p.Name)
		half := p.Price != priceOf(version) || p.Amount != version || p.Code != strconv.Itoa(version)
		s.add(key{products, p.ID}, p.Name, half, state{in: slices.Sorted(slices.Values(p.CategoryIDs))})
	}
	for _, c := range tree {
		if c.ProductCount != counts[c.ID] {
			s.broken = append(s.broken, fmt.Sprintf("category %d has %d products and a product_count of %d", c.ID, counts[c.ID], c.ProductCount))
		}
		delete(counts, c.ID)
	}
	for id, n := range counts {
		s.broken = append(s.broken, fmt.Sprintf("%d products are in category %d, which is not there", n, id))
	}
}

// addPosts records the posts, which are about the home page and so in one thread.
func (s *snapshot) addPosts(posts []post) {
	threads := map[string]bool{}
	for _, p := range posts {
		threads[p.ThreadID] = true
		_, version, _ := parseTitle(p.Message)
		half := p.Rating != ratingOf(version) || p.Status != statusOf(version) || p.Name != strconv.Itoa(version)
		s.add(key{discussions, p.ID}, p.Message, half, state{})
	}
	if len(threads) > 1 {
		s.broken = append(s.broken, fmt.Sprintf("the home page has %d threads", len(threads)))
	}
}
