package apitest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/apitest"
	"github.com/shopapi/shopapi/categories"
	_ "github.com/shopapi/shopapi/internal/fasttest"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store/memory"
)

func TestNew(t *testing.T) {
	s := apitest.New(t, nil)

	created := s.Post("/api/2.0/categories", `{"category": "Cups"}`)
	if created.Status != 201 || created.Field("category_id") != "1" {
		t.Fatalf("got %d %s, want the new category 1", created.Status, created.Body)
	}
	got := s.Get("/api/2.0/categories/1")
	if got.Status != 200 || got.Field("category") != "Cups" || got.Field("timestamp") != fmt.Sprint(apitest.Start.Unix()) {
		t.Errorf("got %d %s, want Cups, made at the clock's time", got.Status, got.Body)
	}
	if answer := s.As("nobody@example.com", "wrong").Get("/api/2.0/categories"); answer.Status != 401 {
		t.Errorf("a stranger got %d, want 401", answer.Status)
	}
	if answer := s.Accepting("text/plain").Get("/api/2.0/categories?parent_id=9"); answer.Status != 200 || answer.Body != "" {
		t.Errorf("got %d %q, want an empty list in text/plain", answer.Status, answer.Body)
	}
	if answer := s.Delete("/api/2.0/categories/1"); answer.Status != 204 {
		t.Errorf("got %d, want 204", answer.Status)
	}
}

func TestNewLiveDialect(t *testing.T) {
	s := apitest.New(t, &shop.Options{Options: shopapi.Options{Dialect: shopapi.DialectLive}})
	if created := s.Post("/api/categories", `{"category": "Cups"}`); created.Body != `{"category_id":1}` || created.Field("category_id") != "1" {
		t.Errorf("got %s, want the id as a number", created.Body)
	}
}

func TestClock(t *testing.T) {
	c := apitest.NewClock(apitest.Start)
	c.Advance(time.Hour)
	if want := apitest.Start.Add(time.Hour); !c.Now().Equal(want) {
		t.Errorf("got %v, want %v", c.Now(), want)
	}
}

func TestNewAPI(t *testing.T) {
	st := memory.New()
	s := apitest.NewAPI(t, nil, func(o *shopapi.Options) (*shopapi.API, error) {
		api := shopapi.New(o)
		_, err := categories.Register(t.Context(), api, st)
		return api, err
	})
	created := s.Post("/api/2.0/categories", `{"category": "Cups"}`)
	got := s.User("view_catalog").Get("/api/2.0/categories/" + created.Field("category_id"))
	if got.Status != 200 || got.Field("timestamp") != fmt.Sprint(apitest.Start.Unix()) {
		t.Errorf("got %d %s, want the category of the clock's time", got.Status, got.Body)
	}
	if events := s.Events(); len(events) != 1 || events[0].User.Email != apitest.RootEmail {
		t.Errorf("Events returns %v, want one creation by the root user", events)
	}
	if answer := apitest.NewAPI(t, nil, nil).Get("/api/2.0/categories"); answer.Status != 404 {
		t.Errorf("an API without entities answers %d, want 404", answer.Status)
	}
}
