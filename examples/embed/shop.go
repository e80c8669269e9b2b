package main

import (
	"context"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/extensions/changes"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/resource"
	"github.com/shopapi/shopapi/store"
)

// A shop is the program's router: its pages, and the API under /admin.
type shop struct {
	http.Handler
	api      *shopapi.API
	st       store.Store
	log      *changes.Log
	products *products.Products
	logger   *slog.Logger
}

func newShop(ctx context.Context, st store.Store, logger *slog.Logger) (*shop, error) {
	s := &shop{logger: logger, st: st}
	s.api = shopapi.New(&shopapi.Options{
		Authenticator: staff{"staff@example.com": "correct-horse-battery"},
		Logger:        logger,
		Completed:     s.logRequest,
	})
	var err error
	if s.log, err = changes.Open(ctx, s.api, st, changes.Options{Mode: changes.On}); err != nil {
		return nil, err
	}
	tree, err := categories.Register(ctx, s.api, st)
	if err != nil {
		return nil, err
	}
	if s.products, err = products.Register(ctx, s.api, st, tree); err != nil {
		return nil, err
	}
	if err := registerSuppliers(ctx, s.api, st, s.products); err != nil {
		return nil, err
	}
	if err := registerPriceChanges(ctx, s.api, st, s.products); err != nil {
		return nil, err
	}
	if err := s.fill(ctx, tree); err != nil {
		return nil, err
	}
	if err := s.openMails(ctx); err != nil {
		return nil, err
	}
	s.api.Background(s.queueMails)
	if err := s.api.Start(); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/admin/", http.StripPrefix("/admin", s.api))
	mux.HandleFunc("GET /{$}", s.frontPage)
	s.Handler = mux
	return s, nil
}

// fill adds categories and products.
func (s *shop) fill(ctx context.Context, tree *categories.Categories) error {
	shelf, err := tree.Create(ctx, categories.Category{Summary: categories.Summary{Name: "Tableware"}})
	if err != nil {
		return err
	}
	for _, p := range []struct {
		name, code, price string
		amount            int64
	}{{"Clay mug", "CLAY-1", "12.50", 7}, {"Soup bowl", "GLAZE-1", "18", 0}} {
		product := s.products.Defaults(ctx)
		product.Name, product.Code, product.Amount = p.name, p.code, p.amount
		product.Price = decimal.MustParse(p.price)
		product.CategoryIDs = []int64{shelf.CategoryID}
		if _, err := s.products.Create(ctx, product); err != nil {
			return err
		}
	}
	return nil
}

// frontPage is one of the shop's own pages, with the same products that the API serves.
func (s *shop) frontPage(w http.ResponseWriter, req *http.Request) {
	list, _, err := s.products.Find(req.Context(), products.Filter{ListOptions: resource.ListOptions{Limit: 20}})
	if err == nil {
		err = page.Execute(w, list)
	}
	if err != nil {
		s.logger.ErrorContext(req.Context(), "the front page failed", "error", err)
	}
}

var page = template.Must(template.New("page").Parse(`<!doctype html>
<title>Pottery</title>
<ul>{{range .}}<li>{{.Name}}: {{.Amount}} in stock</li>{{end}}</ul>
`))

// logRequest writes a line for each request to the API: address, user and result.
func (s *shop) logRequest(req *http.Request, c shopapi.Completion) {
	user := int64(0)
	if c.User != nil {
		user = c.User.ID
	}
	s.logger.LogAttrs(req.Context(), slog.LevelInfo, "request",
		slog.String("entity", c.Entity), slog.String("operation", string(c.Operation)),
		slog.String("parents", fmt.Sprint(c.Parents)), slog.Int64("user", user),
		slog.Int("status", c.Status), slog.Int64("bytes", c.Bytes),
		slog.Duration("duration", c.Duration), slog.Bool("cached", c.Cached))
}
