package categories_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"slices"
	"strconv"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
)

// A model is the simplest form of the tree: parents and positions.
type model map[int64]*node

type node struct{ parent, position int64 }

// A place is a category's position in the walk of a model.
type place struct {
	id   int64
	path string
}

func (m model) children(parent int64) []int64 {
	var ids []int64
	for id, n := range m {
		if n.parent == parent {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b int64) int {
		return cmp.Or(cmp.Compare(m[a].position, m[b].position), cmp.Compare(a, b))
	})
	return ids
}

// walk visits all categories from the top: siblings by position, then id.
func (m model) walk() []place { return m.below(0, "", []place{}) }

func (m model) below(parent int64, path string, places []place) []place {
	for _, id := range m.children(parent) {
		own := path + strconv.FormatInt(id, 10)
		places = m.below(id, own+"/", append(places, place{id, own}))
	}
	return places
}

// within reports whether id is top or below it.
func (m model) within(id, top int64) bool {
	for ; id != 0; id = m[id].parent {
		if id == top {
			return true
		}
	}
	return false
}

func (m model) last(parent int64) int64 {
	siblings := m.children(parent)
	if len(siblings) == 0 {
		return 10
	}
	return (m[siblings[len(siblings)-1]].position/10 + 1) * 10
}

// TestCategories_RandomOperationsKeepTreeWhole runs the same random creates, moves
// and removals over the wire and on the model (decisions §7).
func TestCategories_RandomOperationsKeepTreeWhole(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		random := rand.New(rand.NewPCG(7, 11))
		m := model{}
		pick := func() int64 {
			ids := []int64{0}
			for id := range m {
				ids = append(ids, id)
			}
			slices.Sort(ids)
			return ids[random.IntN(len(ids))]
		}
		for range 400 {
			id, parent, position := pick(), pick(), random.Int64N(5)*7
			switch op := random.IntN(10); {
			case op < 4 && len(m) < 60:
				n := &node{parent, m.last(parent)}
				m[s.addTo(parent, "C")] = n
			case id == 0:
			case op < 9:
				status := 200
				if parent != 0 && m.within(parent, id) {
					status = 400
				} else {
					*m[id] = node{parent, position}
				}
				s.put(status, id, fmt.Sprintf(`{"parent_id": %d, "position": "%d"}`, parent, position))
			default:
				s.Call(204, "DELETE", at(id), "")
				m.remove(id)
			}
			s.wantTree(m)
		}
	})
}

// TestCategories_ConcurrentChangesKeepTreeWhole lets several clients create, move and
// remove at once: whatever the responses, the tree is consistent afterwards.
func TestCategories_ConcurrentChangesKeepTreeWhole(t *testing.T) {
	suite.EachWith(t, shopapi.Options{}, func(t *testing.T, s *shop) {
		for i := range 12 {
			s.addTo(int64(i/3), "C")
		}
		var wg sync.WaitGroup
		for client := range 6 {
			wg.Go(func() {
				random := rand.New(rand.NewPCG(5, uint64(client)))
				for range 30 {
					id, parent := random.Int64N(14)+1, random.Int64N(15)
					var w *apitest.Answer
					switch random.IntN(8) {
					case 0:
						w = s.Send("DELETE", at(id), "")
					case 1, 2:
						w = s.Send("POST", "/api/categories", fmt.Sprintf(`{"category": "C", "parent_id": %d}`, parent))
					default:
						w = s.Send("PUT", at(id), fmt.Sprintf(`{"parent_id": %d, "position": %d}`, parent, random.IntN(3)))
					}
					if w.Status >= 500 {
						t.Errorf("status %d: %s", w.Status, w.Body)
					}
				}
			})
		}
		wg.Wait()
		s.wholeTree()
	})
}

// remove removes a category and its descendants.
func (m model) remove(id int64) {
	for _, child := range m.children(id) {
		m.remove(child)
	}
	delete(m, id)
}

func (s *shop) wantTree(m model) {
	s.Helper()
	var items []struct {
		ID   int64  `json:"category_id,string"`
		Path string `json:"id_path"`
	}
	decode(s, s.Call(200, "GET", "/api/2.0/categories", ""), &items)
	got := make([]place, len(items))
	for i, item := range items {
		got[i] = place{item.ID, item.Path}
	}
	if diff := gocmp.Diff(m.walk(), got, gocmp.AllowUnexported(place{})); diff != "" {
		s.Fatalf("the tree differs (-model +service):\n%s", diff)
	}
}
