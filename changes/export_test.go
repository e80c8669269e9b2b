package changes

import "time"

// SetBeat changes how often a stream shows that it is alive.
func (l *Log) SetBeat(d time.Duration) { l.beat = d }

// Readers returns how many readers wait for changes.
func (l *Log) Readers() int {
	l.waiting.mu.Lock()
	defer l.waiting.mu.Unlock()
	return l.waiting.readers
}
