package pull

import (
	"cmp"
	"slices"
	"sync"
)

// A Report lists the data that a run copied and could not copy.
type Report struct {
	Counts     map[string]*Count           `json:"counts"`   // by entity
	Problems   []Problem                   `json:"problems"` // objects that were not pulled, or not unchanged
	NotCarried map[string]map[string]int64 `json:"not_carried"`
	Notes      []string                    `json:"notes"`

	// Requests is how many requests the run made, and Written how many objects it wrote.
	Requests int64 `json:"requests"`
	Written  int64 `json:"written"`

	// Seconds is how long the run took, and Waited how long each of its connections waited
	// for the old shop, on average.
	Seconds float64 `json:"seconds"`
	Waited  float64 `json:"waited"`

	mu   sync.Mutex
	seen map[Problem]bool

	objects map[string]bool // that have problems: entity and id
}

// A Count is how many objects of an entity there are in the old shop, and here.
type Count struct {
	There int64 `json:"there"`
	Here  int64 `json:"here"`
}

// A Problem is something that could not be taken as it was.
type Problem struct {
	Entity string `json:"entity"`
	ID     string `json:"id"`
	Field  string `json:"field"`
	Reason string `json:"reason"`
}

func newReport() *Report {
	return &Report{
		Counts: map[string]*Count{}, Problems: []Problem{}, NotCarried: map[string]map[string]int64{}, Notes: []string{},
		seen: map[Problem]bool{}, objects: map[string]bool{},
	}
}

func (r *Report) problem(p Problem) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.seen[p] {
		r.seen[p], r.objects[p.Entity+" "+p.ID] = true, true
		r.Problems = append(r.Problems, p)
	}
}

func (r *Report) note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

// hasProblem reports whether an object has a problem.
func (r *Report) hasProblem(entity, id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.objects[entity+" "+id]
}

// notCarried counts data that this shop cannot store.
func (r *Report) notCarried(kind, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.NotCarried[kind] == nil {
		r.NotCarried[kind] = map[string]int64{}
	}
	r.NotCarried[kind][name]++
}

// finish orders the report, the taxes without rates first.
func (r *Report) finish() {
	slices.SortStableFunc(r.Problems, func(a, b Problem) int {
		return cmp.Compare(rank(a), rank(b))
	})
}

func rank(p Problem) int {
	if p.Entity == "taxes" && p.Field == "rates" {
		return 0
	}
	return 1
}
