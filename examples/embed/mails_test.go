package main

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shopapi/shopapi/store"
)

// queued waits until n mails are queued, and returns their subjects.
func (s *shop) queued(t *testing.T, n int) (subjects []string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var list []mail
		err := s.st.View(t.Context(), func(_ context.Context, tx store.Tx) (err error) {
			list, err = mails.Select(tx, store.Query{})
			return err
		})
		if err != nil || time.Now().After(end) {
			t.Fatalf("the mails are %v, %v", list, err)
		}
		if len(list) >= n {
			for _, m := range list {
				subjects = append(subjects, m.Subject)
			}
			return subjects
		}
	}
}

// A mail is queued for each product that is sold out, once, also after the change log began
// anew.
func TestMailsAreQueuedFromTheChangeLog(t *testing.T) {
	s, _ := newTestShop(t)
	server := httptest.NewServer(s)
	defer server.Close()
	put := func(path, body string) {
		t.Helper()
		if status, answer := ask(t, "PUT", server.URL+"/admin/api/products/"+path, goodKey, body); status != 200 {
			t.Fatal(status, answer)
		}
	}
	put("1", `{"amount": 3}`)
	put("1", `{"amount": 0}`)
	put("1", `{"price": 13}`)
	put("2", `{"amount": 5}`)
	put("2", `{"amount": 0}`)
	want := []string{"Clay mug is sold out", "Soup bowl is sold out"}
	if diff := cmp.Diff(want, s.queued(t, 2)); diff != "" {
		t.Errorf("the mails (-want +got):\n%s", diff)
	}
	err := s.st.Update(t.Context(), func(_ context.Context, tx store.Tx) error {
		_, err := mails.Delete(tx) // they are sent
		return err
	})
	if err == nil {
		err = s.log.Reset(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); len(s.queued(t, 0)) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) { // the queue goes on from the end of the new log
			t.Fatal("no mail is queued from the new log")
		}
		put("1", `{"amount": 4}`)
		put("1", `{"amount": 0}`)
	}
}
