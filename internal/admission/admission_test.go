package admission_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/internal/admission"
	"github.com/shopapi/shopapi/internal/budget"
	"github.com/shopapi/shopapi/internal/clienterror"
)

var (
	ann = admission.ClientOf(1, "ann@example.com")
	bob = admission.ClientOf(2, "bob@example.com")
)

// refusal returns the status of a refusal and its Retry-After, zero for no error.
func refusal(t *testing.T, err error) (status int, after time.Duration) {
	t.Helper()
	var refused *clienterror.Error
	if err != nil && !errors.As(err, &refused) {
		t.Fatalf("%v is not a refusal", err)
	}
	if err == nil {
		return 0, 0
	}
	return refused.Status, refused.RetryAfter
}

func wantStatus(t *testing.T, err error, want int) {
	t.Helper()
	if status, _ := refusal(t, err); status != want {
		t.Errorf("status %d (%v), want %d", status, err, want)
	}
}

func TestClientOf(t *testing.T) {
	if admission.ClientOf(1, "old@example.com") != admission.ClientOf(1, "new@example.com") {
		t.Error("a user with another e-mail address is another client")
	}
	if admission.ClientOf(0, "ann@example.com") == admission.ClientOf(0, "bob@example.com") {
		t.Error("two users of the host are one client")
	}
}

func TestControl_Count(t *testing.T) {
	now := time.Unix(1_000, 0)
	c := admission.New(admission.Limits{Requests: 3, Seconds: 10}, func() time.Time { return now })
	for left := 2; left >= 0; left-- {
		count, err := c.Count(ann, 1)
		if err != nil || count.Left != left {
			t.Errorf("%d requests left and error %v, want %d", count.Left, err, left)
		}
	}
	now = now.Add(4 * time.Second)
	_, err := c.Count(ann, 1)
	if status, after := refusal(t, err); status != http.StatusTooManyRequests || after != 6*time.Second {
		t.Errorf("a request too many: status %d and %s, want 429 and 6s", status, after)
	}
	_, err = c.Count(bob, 1)
	wantStatus(t, err, 0)
}

func TestControl_CountBatch(t *testing.T) {
	tests := []struct {
		name             string
		batch, then      int // requests
		status, thenLeft int
	}{
		{"all that are left", 3, 0, 0, 0},
		{"more than are left", 3, 1, http.StatusTooManyRequests, 1},
		{"more than a user may make", 4, 0, http.StatusRequestEntityTooLarge, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := admission.New(admission.Limits{Requests: 3, Seconds: 10}, time.Now)
			for range 1 + test.then {
				if _, err := c.Count(ann, 1); err != nil {
					t.Fatal(err)
				}
			}
			_, err := c.CountBatch(ann, test.batch)
			wantStatus(t, err, test.status)
			if count, _ := c.Count(ann, 0); count.Left != test.thenLeft {
				t.Errorf("%d requests left, want %d", count.Left, test.thenLeft)
			}
		})
	}
}

func TestControl_CountWithoutLimit(t *testing.T) {
	c := admission.New(admission.Limits{}, time.Now)
	count, err := c.CountBatch(ann, 1<<20)
	if err != nil || count.IsLimited() {
		t.Errorf("limited: %t, error %v", count.IsLimited(), err)
	}
}

func TestControl_Enter(t *testing.T) {
	c := admission.New(admission.Limits{Streams: 3, UserStreams: 2}, time.Now)
	enters := map[string]func(admission.Client) (func(), error){"streams": c.EnterStream, "exports": c.EnterExport}
	for name, enter := range enters {
		t.Run(name, func(t *testing.T) {
			leave, err := enter(ann)
			wantStatus(t, err, 0)
			_, err = enter(ann)
			wantStatus(t, err, 0)
			_, err = enter(ann)
			wantStatus(t, err, http.StatusTooManyRequests)
			_, err = enter(bob)
			wantStatus(t, err, 0)
			leave()
			_, err = enter(ann)
			wantStatus(t, err, 0)
		})
	}
	_, err := c.EnterStream(bob)
	wantStatus(t, err, http.StatusTooManyRequests) // three of all clients stream
}

func TestControl_Open(t *testing.T) {
	c := admission.New(admission.Limits{Memory: 64 << 20}, time.Now)
	ctx, share := c.Open(t.Context(), ann)
	defer share.Release()
	if budget.From(ctx) != share || share.Client() != any(ann) {
		t.Error("the context does not have the share of the client")
	}
	if _, inner := c.Open(ctx, ann); inner != nil {
		t.Error("a request within another one has a share of its own")
	}
	member, own := c.OpenMember(ctx, ann)
	defer own.Release()
	if own == share || budget.From(member) != own {
		t.Error("a member of a batch has no share of its own")
	}
	if err := own.Use(1 << 40); admission.Refusal(err) == nil {
		t.Error("a member uses more memory than there is")
	}
}

func TestRefusal(t *testing.T) {
	tests := []struct {
		err   error
		want  int
		after time.Duration
	}{
		{&budget.Error{}, http.StatusTooManyRequests, time.Second},
		{&budget.Error{Never: true}, http.StatusBadRequest, 0},
		{errors.New("the disk is full"), 0, 0},
		{nil, 0, 0},
	}
	for _, test := range tests {
		status, after := refusal(t, admission.Refusal(test.err))
		if diff := cmp.Diff([]any{test.want, test.after}, []any{status, after}); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.err, diff)
		}
	}
}

// A bulk write runs although another write has not ended, and one bulk write waits for another.
func TestControl_RunBulk(t *testing.T) {
	c := admission.New(admission.Limits{Memory: 64 << 20}, time.Now)
	defer c.Write()()
	var running, most int
	done := make(chan error)
	for range 4 {
		go func() {
			done <- c.RunBulk(t.Context(), func() error {
				running++ // the race detector finds two at a time
				most = max(most, running)
				running--
				return nil
			})
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if most != 1 {
		t.Errorf("%d bulk writes ran at once", most)
	}
}
