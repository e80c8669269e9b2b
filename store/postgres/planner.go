package postgres

// beginOwnSQL begins the writes of a transaction, as [beginWritesSQL] does, and has the planner use
// indexes wherever there are some, until the transaction ends. For a small table the planner
// prefers a sequential scan; but under SERIALIZABLE that reads the whole table, and conflicts with
// every transaction that changes a row of it. Where a sequential scan cannot be avoided, the planner
// adds so much to its cost that the statement would be compiled, without the last setting.
const beginOwnSQL = beginWritesSQL + `, set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`

// sendSettings queues the settings of a transaction that begins.
func (t *tx) sendSettings(c *conn) {
	switch {
	case t.changes.number == 0:
	case t.first != "": // it changes many rows, and has others wait
		c.send(beginWritesSQL, nil, request{})
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
