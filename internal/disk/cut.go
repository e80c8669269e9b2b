package disk

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// sector is how many bytes a disk writes at once.
const sector = 512

// A state is what a disk keeps of one file.
type state struct {
	synced  []byte
	pending []Op // since the last sync
	exists  bool
	created bool // and its folder was not synced since
	removed bool // likewise: a cut may undo that
}

// An Image is what a disk holds after some operations.
type Image struct {
	random *rand.Rand
	files  map[string]*state
}

// NewImage returns an empty disk, whose faults are chosen by random.
func NewImage(random *rand.Rand) *Image { return &Image{random, make(map[string]*state)} }

// Apply does an operation. It must not be a mark.
func (m *Image) Apply(op Op) {
	s := m.files[op.File]
	if s == nil {
		s = new(state)
		m.files[op.File] = s
	}
	switch op.Kind {
	case Write, Truncate:
		if s.removed {
			*s = state{}
		}
		s.pending = append(s.pending, op)
		s.created = s.created || !s.exists
		s.exists = true
	case FailedSync: // the system may think that these were written
		s.pending = slices.DeleteFunc(s.pending, func(Op) bool { return m.random.IntN(2) == 0 })
	case Sync:
		for _, op := range s.pending {
			s.synced = apply(s.synced, op)
		}
		s.pending = nil
		if s.created { // the engine syncs the folder too
			m.syncFolder()
		}
	case Remove:
		*s = state{synced: s.synced, exists: !op.Synced, removed: !op.Synced}
	}
}

func (m *Image) syncFolder() {
	for _, s := range m.files {
		s.created = false
		if s.removed {
			*s = state{}
		}
	}
}

// apply does an operation that was not torn.
func apply(data []byte, op Op) []byte {
	end := op.Offset + int64(len(op.Data))
	if op.Kind == Truncate {
		if end < int64(len(data)) {
			return data[:end]
		}
		return data
	}
	if missing := end - int64(len(data)); missing > 0 {
		data = append(data, make([]byte, missing)...)
	}
	copy(data[op.Offset:], op.Data)
	return data
}

// Cut writes the files that a power cut may leave into a folder. The image stays as it is.
func (m *Image) Cut(folder string) error {
	random := m.random
	for name, s := range m.files {
		if !s.exists || s.removed && random.IntN(2) == 0 {
			continue
		}
		data, pending := slices.Clone(s.synced), slices.Clone(s.pending)
		if random.IntN(2) == 0 {
			random.Shuffle(len(pending), func(i, j int) { pending[i], pending[j] = pending[j], pending[i] })
		}
		lost := []int{0, 1, 5, 10}[random.IntN(4)] // of ten
		for _, op := range pending {
			switch {
			case random.IntN(10) < lost:
			case op.Kind == Write && random.IntN(4) == 0:
				data = tear(random, data, op)
			default:
				data = apply(data, op)
			}
		}
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// tear writes some of the sectors of a write.
func tear(random *rand.Rand, data []byte, op Op) []byte {
	for at := int64(0); at < int64(len(op.Data)); {
		end := min(int64(len(op.Data)), (op.Offset+at)/sector*sector+sector-op.Offset)
		if random.IntN(2) == 0 {
			data = apply(data, Op{Kind: Write, Offset: op.Offset + at, Data: op.Data[at:end]})
		}
		at = end
	}
	return data
}
