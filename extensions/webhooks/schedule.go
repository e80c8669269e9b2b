package webhooks

import (
	"math/rand/v2"
	"net/http"
	"time"
)

// repeats are the times between attempts. After the last the delivery is given up.
var repeats = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// disableAfter is how long a webhook may fail without a success.
const disableAfter = 5 * 24 * time.Hour

// jitter returns a time that differs from d by up to a tenth.
func jitter(d time.Duration) time.Duration {
	return d + time.Duration((rand.Float64()*0.2-0.1)*float64(d))
}

// attempted notes an attempt on a delivery, and when the next is due.
func (d *delivery) attempted(r *result, now time.Time) {
	d.Attempt++
	d.Time, d.Milliseconds, d.Code, d.Error, d.Answer = r.at.Unix(), r.milliseconds, int64(r.code), r.err, r.answer
	if d.Hurry == broughtForward {
		d.Hurry = wasForward
	} else {
		d.Hurry = onSchedule
	}
	switch {
	case r.ok():
		d.Open, d.State = false, Delivered
	case d.Once, r.code == http.StatusGone, d.Attempt > int64(len(repeats)):
		d.Open, d.State = false, GivenUp
	default:
		d.State = Failed
		d.Due = now.Add(max(jitter(repeats[d.Attempt-1]), r.retryAfter)).UnixMilli()
	}
}
