package sqltext_test

import (
	"slices"
	"testing"

	"github.com/shopapi/shopapi/store"
	"github.com/shopapi/shopapi/store/driver/sqltext"
)

// mariaDB is a dialect that a store outside this module may write: MariaDB 10.6. A list
// is bound as a JSON array.
var mariaDB = sqltext.Dialect{
	Quote:         '`',
	Key:           "bigint AUTO_INCREMENT PRIMARY KEY",
	Integer:       "bigint",
	Boolean:       "boolean",
	Decimal:       "decimal(19,%d)",
	Text:          "longtext",
	IndexedText:   "varbinary(2048)",
	Table:         " ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin",
	CastText:      "char",
	CastInteger:   "signed",
	CastLong:      "signed",
	Find:          "instr",
	Concat:        "concat",
	NullSafeEqual: "<=>",
	EmptyInsert:   " () VALUES ()",
	IfMissing:     true,
	NameLimit:     64,
	ListOpen:      " IN (SELECT value FROM json_table(",
	ListClose:     ", '$[*]' COLUMNS (value bigint PATH '$')) AS list)",
	TextListOpen:  " IN (SELECT value FROM json_table(",
	TextListClose: ", '$[*]' COLUMNS (value longtext PATH '$')) AS list)",
}

// A dialect that the package does not have needs no other SQL than its own.
func TestMariaDB(t *testing.T) {
	d := &mariaDB
	check(t, "CreateTable", d.CreateTable(orders), "CREATE TABLE IF NOT EXISTS `order` (`order_id` bigint AUTO_INCREMENT PRIMARY KEY, "+
		"`name` longtext NOT NULL DEFAULT '', `group` bigint, `note` longtext, `total` decimal(19,2) NOT NULL DEFAULT 0, "+
		"`paid` boolean NOT NULL DEFAULT FALSE, `options` longtext NOT NULL DEFAULT '[]', "+
		"`name_fold` varbinary(2048) NOT NULL DEFAULT '', `note_fold` varbinary(2048)) ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin")
	check(t, "AddColumn", d.AddColumn(orders, 3, sqltext.FoldSuffix), "ALTER TABLE `order` ADD COLUMN IF NOT EXISTS `note_fold` varbinary(2048)")
	check(t, "CreateIndex", d.CreateIndex(orders, &orders.Indexes[0]),
		"CREATE INDEX IF NOT EXISTS `order.group.name_fold.index` ON `order` (`group`, `name_fold`)")
	p, err := shops.Project("name", "shop_id")
	if err != nil {
		t.Fatal(err)
	}
	check(t, "Get", d.Get(p), "SELECT `name`, `shop_id` FROM `shops` WHERE `shop_id` = ?")
	check(t, "Count", d.Count(shops), "SELECT count(*) FROM `shops`")
	check(t, "Insert", d.Insert(shops, false), "INSERT INTO `shops` (`name`, `name_fold`) VALUES (?, ?)")
	check(t, "Update", d.Update(shops), "UPDATE `shops` SET `name` = ?, `name_fold` = ? WHERE `shop_id` = ?")
	keys := schema("keys", []store.Column{{Name: "id", Kind: store.Integer}})
	check(t, "Insert of a key", d.Insert(keys, false), "INSERT INTO `keys` () VALUES ()")

	for _, c := range []struct {
		cond store.Cond
		text string
	}{
		{store.NotEqual("group", store.Int(1)), "NOT (`group` <=> ?)"},
		{store.NotEqual("total", store.Int(1)), "`total` <> ?"},
		{store.Contains("name", "a"), "instr(`name_fold`, ?) > 0"},
		{store.InInts("group", 1, 2), "`group` IN (?, ?)"},
		{store.InInts("group", 1, 2, 3, 4, 5, 6, 7, 8, 9), "`group` IN (SELECT value FROM json_table(?, '$[*]' COLUMNS (value bigint PATH '$')) AS list)"},
		{store.In("options", slices.Repeat([]store.Value{store.String("a")}, 9)...), "`options` IN (SELECT value FROM json_table(?, '$[*]' COLUMNS (value longtext PATH '$')) AS list)"},
		{store.InQuery("total", orders, "group"), "CAST(`total` * 100 AS signed) IN (SELECT `group` FROM `order`)"},
		{store.InQuery("group", orders, "paid"), "`group` IN (SELECT CAST(CAST(`paid` AS signed) AS signed) FROM `order`)"},
		{store.Not(store.Equal("group", store.Int(1))), "((`group` = ?) IS NOT TRUE)"},
	} {
		b := sqltext.Builder{Dialect: d}
		if err := b.Where(orders, []store.Cond{c.cond}); err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		check(t, "the condition", string(b.Text), " WHERE "+c.text)
	}

	b := sqltext.Builder{Dialect: d}
	via := &store.Via{Column: "group", Schema: shops}
	if err := b.Query(orders, &store.Query{Order: []store.Order{{Column: "name", Via: via}, store.Desc("note")}, Limit: 5}); err != nil {
		t.Fatal(err)
	}
	check(t, "the query", string(b.Text), " ORDER BY (SELECT `via.`.`name_fold` FROM `shops` AS `via.` WHERE `via.`.`shop_id` = `order`.`group`), `note_fold` DESC, `order_id` DESC LIMIT ?")
	b.Reset()
	if err := b.ReplacePrefixes(orders, []store.Prefix{{Column: "name", Old: "a/", New: "b/"}}); err != nil {
		t.Fatal(err)
	}
	const set = "UPDATE `order` SET `name` = concat(CAST(? AS char), substr(`name`, CAST(? AS signed))) WHERE "
	if text := string(b.Text); len(text) < len(set) || text[:len(set)] != set {
		t.Errorf("ReplacePrefixes writes\n%s\nwant it to begin\n%s", text, set)
	}
}
