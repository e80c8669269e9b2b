// Command embed is a shop that had its own pages, products and staff before it
// got the API: the handler is mounted under /admin beside what was there. Products
// and users stay the shop's own; categories are the library's, in a store.
//
//	go run ./examples/embed
//	curl -u staff@example.com:correct-horse-battery http://127.0.0.1:8081/admin/api/2.0/products
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8081", "where to listen")
	flag.Parse()
	if err := run(*addr); err != nil {
		slog.Error("the shop stopped", "error", err)
		os.Exit(1)
	}
}

func run(addr string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	st := memory.New()
	defer st.Close()
	handler, err := newShop(ctx, st, slog.Default())
	if err != nil {
		return err
	}
	server := &http.Server{Addr: addr, Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		// What is in flight has ten seconds to end.
		deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		_ = server.Shutdown(deadline)
	}()
	fmt.Printf("The shop is at http://%s/ and its administration API under http://%s/admin/api/2.0/\n", addr, addr)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// newShop is the shop's router: its pages, and the API under /admin.
func newShop(ctx context.Context, st store.Store, logger *slog.Logger) (http.Handler, error) {
	products := newCatalogue()
	api := shopapi.New(&shopapi.Options{
		Authenticator: staff{"staff@example.com": "correct-horse-battery"},
		Logger:        logger,
	})
	if err := api.Register(products); err != nil {
		return nil, err
	}
	tree, err := categories.Register(ctx, api, st)
	if err != nil {
		return nil, err
	}
	if _, err := tree.Create(ctx, categories.Category{Summary: categories.Summary{Name: "Tableware"}}); err != nil {
		return nil, err
	}

	mux := http.NewServeMux()
	mux.Handle("/admin/", http.StripPrefix("/admin", api))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, req *http.Request) {
		if err := page.Execute(w, products.all()); err != nil {
			logger.ErrorContext(req.Context(), "the front page failed", "error", err)
		}
	})
	return mux, nil
}

var page = template.Must(template.New("page").Parse(`<!doctype html>
<title>Pottery</title>
<ul>{{range .}}<li>{{.Name}}: {{.Amount}} in stock</li>{{end}}</ul>
`))
