package postgres

// beginOwnSQL begins the writes of a transaction, as [beginWritesSQL] does, and has the planner use
// indexes wherever there are some, until the transaction ends. For a small table the planner
// prefers a sequential scan; but under SERIALIZABLE that reads the whole table, and conflicts with
// every transaction that changes a row of it. Where a sequential scan cannot be avoided, the planner
// adds so much to its cost that the statement would be compiled, without the last setting.
const beginOwnSQL = beginWritesSQL + `, set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`

// sendSettings queues the settings of a transaction that begins. The same statement asks for the
// schema number.
func (t *tx) sendSettings(c *conn, number *numberCheck) {
	switch {
	case t.changes.number == 0:
	case t.first != "": // it changes many rows, and has others wait
		c.send(beginWritesSQL, nil, request{})
	case number.wanted && number.there:
		sql, params := number.question(t.store)
		c.send(beginOwnSQL+", ("+sql+")", params, request{row: number.row})
		c.indexed = true
	default:
		c.send(beginOwnSQL, nil, request{})
		c.indexed = true
	}
}

// sendDefaultPlans undoes what sendSettings has set for the planner.
func (c *conn) sendDefaultPlans() {
	if !c.indexed {
		return
	}
	c.indexed = false
	c.send("SET LOCAL enable_seqscan TO DEFAULT", nil, request{})
	c.send("SET LOCAL jit TO DEFAULT", nil, request{})
}
