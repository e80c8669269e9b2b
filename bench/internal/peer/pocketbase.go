package peer

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
	_ "github.com/pocketbase/pocketbase/migrations" // its own tables

	"github.com/shopapi/shopapi/bench/internal/data"
)

// A pbTable is a collection with the columns of one of the library's tables, without the
// key, which PocketBase calls id and stores as text, and without the folded copies of
// texts: their indexes are over the text itself.
type pbTable struct {
	name, key string
	from      string // the library's table, name if ""
	texts     []string
	numbers   []string
	amounts   []string // with two decimals; the library's table has hundredths
	flags     []string
	documents []string
	hidden    []string // texts that responses do not contain
	indexes   []string // columns of each index, separated by commas
}

var pbTables = []pbTable{
	{
		name: "categories", key: "category_id",
		texts: []string{"id_path", "category", "status", "usergroup_ids", "localization", "default_view", "product_details_view",
			"lang_code", "description", "meta_keywords", "meta_description", "page_title", "age_warning_message"},
		numbers: []string{"parent_id", "position", "product_count", "company_id", "timestamp", "age_limit", "parent_age_limit",
			"product_columns", "updated_at"},
		flags:     []string{"is_op", "age_verification", "parent_age_verification"},
		documents: []string{"selected_views", "main_pair"},
		hidden:    []string{"tree_order"},
		indexes:   []string{"tree_order", "parent_id,tree_order", "company_id,tree_order", "updated_at"},
	},
	{
		name: "discussions", key: "post_id",
		texts:   []string{"name", "ip_address", "status", "message", "object_type", "type"},
		numbers: []string{"thread_id", "timestamp", "user_id", "rating_value", "object_id", "company_id", "updated_at"},
		indexes: []string{"name", "user_id", "ip_address", "timestamp", "status", "status,timestamp", "type,timestamp",
			"rating_value,timestamp", "object_type,object_id,timestamp", "object_type,object_id,status,timestamp",
			"object_type,object_id,status,rating_value", "updated_at"},
	},
	pbOrders, pbProducts, pbCustomers, pbPayments, pbShippings,
}

// connectCgo opens a database with SQLite in C, if that is built.
var connectCgo core.DBConnectFunc

// openPocketBase opens a PocketBase with its own defaults, whose rules require a user
// for every operation.
func openPocketBase(c Config, connect core.DBConnectFunc) (*server, error) {
	app := core.NewBaseApp(core.BaseAppConfig{DataDir: c.Dir, DBConnect: connect})
	if err := app.Bootstrap(); err != nil {
		return nil, err
	}
	token, err := setUp(app, c, connect)
	if err != nil {
		return nil, errors.Join(err, app.ResetBootstrapState())
	}
	app.OnRecordCreateRequest(pbOrders.name).BindFunc(placeRecord)
	router, err := apis.NewRouter(app)
	if err != nil {
		return nil, err
	}
	router.Bind(apis.CORS(apis.CORSConfig{AllowOrigins: []string{"*"}})) // as its command serve does
	var handler http.Handler
	if handler, err = router.BuildMux(); err != nil {
		return nil, err
	}
	return &server{handler, token, app.ResetBootstrapState}, nil
}

// setUp creates the collections, their rows and a user, and returns the user's token.
func setUp(app core.App, c Config, connect core.DBConnectFunc) (token string, err error) {
	if err := app.RunAllMigrations(); err != nil {
		return "", err
	}
	for _, t := range pbTables {
		if err := app.Save(t.collection()); err != nil {
			return "", err
		}
	}
	if err := copyRows(connect, filepath.Join(c.Dir, "data.db"), c.Source); err != nil {
		return "", err
	}
	for _, t := range pbTables { // after the rows, as in the library's file
		c, err := app.FindCollectionByNameOrId(t.name)
		if err != nil {
			return "", err
		}
		for _, columns := range t.indexes {
			c.AddIndex("idx_"+t.name+"_"+strings.ReplaceAll(columns, ",", "_"), false, columns, "")
		}
		if err := app.Save(c); err != nil {
			return "", err
		}
	}
	users, err := app.FindCollectionByNameOrId("users")
	if err != nil {
		return "", err
	}
	user := core.NewRecord(users)
	user.SetEmail(data.Email)
	user.SetPassword(data.Key)
	user.SetVerified(true)
	if err := app.Save(user); err != nil {
		return "", err
	}
	return user.NewAuthToken()
}

func (t *pbTable) collection() *core.Collection {
	c := core.NewBaseCollection(t.name)
	rule := `@request.auth.id != ""`
	c.ListRule, c.ViewRule, c.CreateRule, c.UpdateRule = &rule, &rule, &rule, &rule
	if id, ok := c.Fields.GetByName("id").(*core.TextField); ok {
		id.Min = 1 // the ids of the rows are numbers
	}
	for _, name := range t.texts {
		c.Fields.Add(&core.TextField{Name: name})
	}
	for _, name := range t.hidden {
		c.Fields.Add(&core.TextField{Name: name, Hidden: true})
	}
	for _, name := range t.numbers {
		c.Fields.Add(&core.NumberField{Name: name, OnlyInt: true})
	}
	for _, name := range t.amounts {
		c.Fields.Add(&core.NumberField{Name: name})
	}
	for _, name := range t.flags {
		c.Fields.Add(&core.BoolField{Name: name})
	}
	for _, name := range t.documents {
		c.Fields.Add(&core.JSONField{Name: name})
	}
	return c
}

// copyRows copies the rows of the library's file into PocketBase's. It connects as PocketBase does:
// another SQLite in this process would not see its locks.
func copyRows(connect core.DBConnectFunc, to, from string) (err error) {
	connected, err := connect(to)
	if err != nil {
		return err
	}
	db := connected.DB()
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("ATTACH ? AS source", from); err != nil {
		return err
	}
	for _, t := range pbTables {
		columns, values := []string{"id"}, []string{"CAST(" + t.key + " AS TEXT)"}
		for _, group := range []struct {
			columns []string
			value   string
		}{
			{t.texts, "coalesce(%s, '')"}, {t.hidden, "%s"}, {t.numbers, "%s"}, {t.amounts, "%s / 100.0"}, {t.flags, "%s"}, {t.documents, "%s"},
		} {
			for _, column := range group.columns {
				columns, values = append(columns, column), append(values, fmt.Sprintf(group.value, column))
			}
		}
		_, err := db.Exec("INSERT INTO main." + t.name + " (" + strings.Join(columns, ", ") + ") SELECT " + strings.Join(values, ", ") +
			" FROM source." + cmp.Or(t.from, t.name) + " ORDER BY " + t.key)
		if err != nil {
			return err
		}
	}
	_, err = db.Exec("DETACH source")
	return err
}
