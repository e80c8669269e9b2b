package jsonenc

import (
	"fmt"
	"reflect"
	"sync"
	"testing"
)

// Goroutines that ask for the members of a type for the first time, at once, all get them: an API
// keeps what it reads first.
func TestMembers_AtOnce(t *testing.T) {
	t.Parallel()
	for i := range 300 {
		inner := reflect.StructOf([]reflect.StructField{{Name: "Name", Type: reflect.TypeFor[string](), Tag: reflect.StructTag(fmt.Sprintf(`json:"name_%d"`, i))}})
		outer := reflect.StructOf([]reflect.StructField{
			{Name: "ID", Type: reflect.TypeFor[int64](), Tag: reflect.StructTag(fmt.Sprintf(`json:"id_%d"`, i))},
			{Name: "List", Type: reflect.SliceOf(inner), Tag: `json:"list"`},
		})
		start := make(chan struct{})
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				<-start
				if names, ok := Members(outer); !ok || len(names) != 2 {
					t.Errorf("the members are %v, %v", names, ok)
				}
			})
		}
		close(start)
		all.Wait()
	}
}
