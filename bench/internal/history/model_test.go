package history

import (
	"slices"

	"github.com/anishathalye/porcupine"
)

// objects is how many objects a history is about. Each has one number, which a write
// replaces by a number that no other write has.
const objects = 3

// A state is the numbers of all objects.
type state [objects]int

// The kinds of requests.
const (
	readOne  = "read"
	readList = "list"
	write    = "write"
	swap     = "swap" // a write with If-Match
	both     = "both" // an atomic batch of two writes
	torn     = "torn" // an atomic batch of a write and a member that fails
)

// An input is a request of a history.
type input struct {
	kind          string
	object, value int
	other, second int // of both
	expected      int // of swap: the number that the client has read
}

// An output is its response.
type output struct {
	values  []int // of readOne and readList
	done    bool  // of swap: it was not 412
	unknown bool  // the shop does not know whether it was carried out
}

var model = porcupine.Model{
	Init: func() any { return state{} },
	Step: func(before, in, out any) (bool, any) {
		s, i, o := before.(state), in.(input), out.(output)
		switch i.kind {
		case readOne:
			return o.values[0] == s[i.object], s
		case readList:
			return slices.Equal(o.values, s[:]), s
		case swap:
			fits := s[i.object] == i.expected
			if !o.unknown && o.done != fits {
				return false, s
			}
			if fits {
				s[i.object] = i.value
			}
		case both:
			s[i.object], s[i.other] = i.value, i.second
		case write:
			s[i.object] = i.value
		}
		return true, s
	},
}
