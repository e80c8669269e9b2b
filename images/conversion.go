package images

// Convert makes a pair of a document that an older version stored (§24), where it is
// one, and reports whether it was.
func (p *Pair) Convert() bool {
	if p.Document == "" {
		return false
	}
	parsed, problem := parsePair([]byte(p.Document), 0)
	if problem == "" {
		*p = parsed
	}
	return problem == ""
}

// Convert makes pairs of a document, as that of Pair does.
func (ps *Pairs) Convert() bool {
	if len(*ps) != 1 || (*ps)[0].Document == "" {
		return false
	}
	parsed, problem := parsePairs([]byte((*ps)[0].Document))
	if problem == "" {
		*ps = parsed
	}
	return problem == ""
}
