package countcache

import "github.com/shopapi/shopapi/store"

// Wants reports whether changes of the table matter to the cache.
func (c *Cache) Wants(s *store.Schema) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tables[s.Name]
	return t != nil && (len(t.entries) > 0 || t.fills > 0)
}
