package shopapi

import "net/http"

// newCrossOrigin returns the check of writes that browsers send, which trusts the
// pages of the given origins. [Options.Validate] has looked at them.
func newCrossOrigin(trusted []string) *http.CrossOriginProtection {
	c := http.NewCrossOriginProtection()
	for _, origin := range trusted {
		if err := c.AddTrustedOrigin(origin); err != nil {
			panic(err)
		}
	}
	return c
}

// checkOrigin refuses a write that a browser sends from another site, with
// whatever credentials it holds for this one: a form there needs no script and no
// permission (§2). Programs send neither Sec-Fetch-Site nor Origin, and pass.
func (a *API) checkOrigin(req *http.Request) error {
	if a.crossOrigin.Check(req) == nil {
		return nil
	}
	return Errorf(http.StatusForbidden, "Changes are not accepted from pages of another site. Its origin has to be trusted by this service.")
}
