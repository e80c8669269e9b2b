package peer

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"

	"github.com/govalues/decimal"

	"github.com/shopapi/shopapi"
	"github.com/shopapi/shopapi/bench/internal/data"
	"github.com/shopapi/shopapi/categories"
	"github.com/shopapi/shopapi/discussions"
	"github.com/shopapi/shopapi/orders"
	"github.com/shopapi/shopapi/pages"
	"github.com/shopapi/shopapi/payments"
	"github.com/shopapi/shopapi/products"
	"github.com/shopapi/shopapi/shippings"
	"github.com/shopapi/shopapi/shop"
	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/memory"
	"github.com/shopapi/shopapi/store/sqlite"
	"github.com/shopapi/shopapi/users"
)

// openShop opens the library's server as a host would.
func openShop(ctx context.Context, c Config) (*server, error) {
	var st store.Store = memory.New()
	if c.Name == Shop {
		file := filepath.Join(c.Dir, "shop.db")
		if c.Source != "" {
			if err := copyFile(file, c.Source); err != nil {
				return nil, err
			}
		}
		opened, err := sqlite.Open(ctx, file, nil)
		if err != nil {
			return nil, err
		}
		st = opened
	}
	sh, err := newShop(ctx, st, c.CacheBytes)
	if err == nil && c.Name == ShopMemory {
		err = fill(ctx, sh, c.Rows)
	}
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return &server{sh, basic(), st.Close}, nil
}

func newShop(ctx context.Context, st store.Store, cacheBytes int64) (*shop.Shop, error) {
	return shop.New(ctx, st, &shop.Options{Options: shopapi.Options{
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Limits: shopapi.Limits{CacheBytes: cacheBytes},
	}})
}

// Seed creates the SQLite file with the rows of all peers. The indexes of the large
// tables are created after the rows, which for a million of them takes a fraction of the
// time.
func Seed(ctx context.Context, file string, rows int) (err error) {
	st, err := sqlite.Open(ctx, file, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	sh, err := newShop(ctx, st, -1)
	if err != nil {
		return err
	}
	if err := dropIndexes(ctx, file); err != nil {
		return err
	}
	if err := fill(ctx, sh, rows); err != nil {
		return err
	}
	_, err = newShop(ctx, st, -1) // creates the missing tables and indexes
	return err
}

func dropIndexes(ctx context.Context, file string) (err error) {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name IN ('categories', 'discussions', 'orders')")
	if err != nil {
		return err
	}
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return errors.Join(err, rows.Close())
		}
		names = append(names, name)
	}
	for _, name := range names {
		if _, err := db.ExecContext(ctx, `DROP INDEX "`+name+`"`); err != nil {
			return err
		}
	}
	return rows.Err()
}

// batch is how many rows are written in one transaction.
const batch = 10_000

// The tables of the entities. Rows are inserted without the entities' rules, which would
// take minutes for a million.
var (
	categoryTable = store.MustTable[categories.Category]("categories")
	productTable  = store.MustTable[products.Product]("products")
	threadTable   = store.MustTable[discussions.Thread]("discussion_threads")
	reviewTable   = store.MustTable[discussions.Post]("discussions")
	orderTable    = store.MustTable[orders.Order]("orders")
	paymentTable  = store.MustTable[payments.Payment]("payments")
	shippingTable = store.MustTable[shippings.Shipping]("shippings")
)

// fill inserts the rows of package data into an empty shop.
func fill(ctx context.Context, sh *shop.Shop, rows int) error {
	if err := users.EnsureRootKey(ctx, sh.Store, data.Email, data.Key); err != nil {
		return err
	}
	err := sh.Store.Update(ctx, func(_ context.Context, tx store.Tx) error {
		for i := range data.Products(rows) {
			id := int64(i + 1)
			product := products.Product{Summary: products.Summary{
				ProductID: id, Name: "Product", Type: products.Simple, Status: products.Active, CompanyID: data.Company,
				Price: decimal.MustNew(500+id, 2), UsergroupIDs: "0", Tracking: products.Track, Amount: data.Stock,
			}}
			thread := data.Thread(id)
			if err := productTable.Insert(tx, &product); err != nil {
				return err
			}
			if err := threadTable.Insert(tx, &thread); err != nil {
				return err
			}
		}
		return insertMethods(tx)
	})
	for from := 1; from <= rows && err == nil; from += batch {
		err = sh.Store.Update(ctx, func(_ context.Context, tx store.Tx) error {
			for i := from; i < min(from+batch, rows+1); i++ {
				c, r, o := data.Category(i), data.Review(i, rows), data.Order(i, rows)
				if err := categoryTable.Insert(tx, &c); err != nil {
					return err
				}
				if err := reviewTable.Insert(tx, &r); err != nil {
					return err
				}
				if err := orderTable.Insert(tx, &o); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return err
	}
	return fillOthers(ctx, sh)
}

// fillOthers creates the customers and pages.
func fillOthers(ctx context.Context, sh *shop.Shop) error {
	customers, texts := make([]users.User, data.Users), make([]pages.Page, data.Pages)
	for i := range customers {
		customers[i].Email, customers[i].UserType = fmt.Sprintf("customer%d@example.com", i+1), shopapi.Customer
	}
	for i := range texts {
		texts[i].Name, texts[i].Type, texts[i].Description = fmt.Sprintf("Page %d", i+1), pages.Text, data.Message(i)
	}
	if _, err := sh.Users.CreateAll(ctx, customers); err != nil {
		return err
	}
	_, err := sh.Pages.CreateAll(ctx, texts)
	return err
}

// insertMethods adds the payment and shipping methods of new orders.
func insertMethods(tx store.Tx) error {
	payment := payments.Payment{PaymentID: data.Payment, Name: "Invoice", Status: payments.Active, CompanyID: data.Company}
	rates, err := shippings.RatesOf(shippings.Rate{DestinationID: 1, ByCost: []shippings.Step{{Value: decimal.MustNew(500, 2)}}})
	if err != nil {
		return err
	}
	shipping := shippings.Shipping{
		Summary:   shippings.Summary{ShippingID: data.Shipping, Name: "Post", Status: shippings.Active},
		CompanyID: data.Company, RateCalculation: "M", Rates: rates,
	}
	if err := paymentTable.Insert(tx, &payment); err != nil {
		return err
	}
	return shippingTable.Insert(tx, &shipping)
}
