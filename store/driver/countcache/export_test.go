package countcache

import "github.com/shopapi/shopapi/store"

// Wants reports whether changes of the table matter to the cache.
func (c *Cache) Wants(s *store.Schema) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tables[s.Name]
	return t != nil && (len(t.entries) > 0 || t.fills > 0)
}

// Anchors is how many anchors a condition has, in all orders. It does not use the entry.
func (c *Cache) Anchors(s *store.Schema, where store.Cond) int {
	key, _ := appendConds(nil, []store.Cond{where})
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.tables[s.Name].entries[string(key)]; e != nil {
		return e.anchors()
	}
	return 0
}
