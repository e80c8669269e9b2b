package postgres

import "strings"

// transactionControl returns the first words of a statement in the text that
// begins or ends a transaction, "" when there is none. Statements about savepoints
// are not among them.
func transactionControl(sql string) string {
	s := scanner{sql}
	for s.rest != "" {
		first := s.word()
		switch first {
		case "BEGIN", "COMMIT", "END", "ABORT":
			return first
		case "START", "PREPARE":
			if s.word() == "TRANSACTION" {
				return first + " TRANSACTION"
			}
		case "ROLLBACK":
			next := s.word()
			if next == "WORK" || next == "TRANSACTION" {
				next = s.word()
			}
			if next != "TO" {
				return first
			}
		}
		s.skipStatement()
	}
	return ""
}

// A scanner reads SQL as the server does, with standard_conforming_strings.
type scanner struct{ rest string }

// word skips blanks and comments and returns the word that follows, in upper case,
// "" where something else does.
func (s *scanner) word() string {
	s.skipBlanks()
	n := 0
	for n < len(s.rest) && isWord(s.rest[n]) && s.rest[0] != '$' {
		n++
	}
	word := s.rest[:n]
	s.rest = s.rest[n:]
	return strings.ToUpper(word)
}

// isWord reports whether a byte may be part of a name, without quotes, or a number.
func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (s *scanner) skipBlanks() {
	for {
		s.rest = strings.TrimLeft(s.rest, " \t\r\n\f\v")
		switch {
		case strings.HasPrefix(s.rest, "--"):
			_, s.rest, _ = strings.Cut(s.rest, "\n")
		case strings.HasPrefix(s.rest, "/*"):
			s.skipComment()
		default:
			return
		}
	}
}

// skipComment skips a comment, in which others may lie.
func (s *scanner) skipComment() {
	depth := 0
	for s.rest != "" {
		switch {
		case strings.HasPrefix(s.rest, "/*"):
			depth++
			s.rest = s.rest[2:]
		case strings.HasPrefix(s.rest, "*/"):
			depth--
			s.rest = s.rest[2:]
			if depth == 0 {
				return
			}
		default:
			s.rest = s.rest[1:]
		}
	}
}

// skipStatement skips the rest of a statement, including the semicolon after it.
func (s *scanner) skipStatement() {
	for {
		s.skipBlanks()
		if s.rest == "" {
			return
		}
		switch c := s.rest[0]; {
		case c == ';':
			s.rest = s.rest[1:]
			return
		case c == '\'' || c == '"':
			s.skipQuoted(c, false)
		case c == '$' && s.skipDollarQuoted():
		case isWord(c) && c != '$':
			if word := s.word(); word == "E" && strings.HasPrefix(s.rest, "'") {
				s.skipQuoted('\'', true)
			}
		default:
			s.rest = s.rest[1:]
		}
	}
}

// skipQuoted skips a text or name in quotes. A quote in it is doubled, or follows a
// backslash where these escape.
func (s *scanner) skipQuoted(quote byte, backslash bool) {
	for i := 1; i < len(s.rest); i++ {
		switch {
		case backslash && s.rest[i] == '\\':
			i++
		case s.rest[i] == quote && i+1 < len(s.rest) && s.rest[i+1] == quote:
			i++
		case s.rest[i] == quote:
			s.rest = s.rest[i+1:]
			return
		}
	}
	s.rest = ""
}

// skipDollarQuoted skips a text between two equal tags, $$ or $name$, and reports
// whether there is one: $1 is a parameter.
func (s *scanner) skipDollarQuoted() bool {
	end := strings.IndexByte(s.rest[1:], '$')
	if end < 0 {
		return false
	}
	tag := s.rest[:end+2]
	name := tag[1 : len(tag)-1]
	if name != "" && name[0] >= '0' && name[0] <= '9' {
		return false
	}
	for i := range len(name) {
		if !isWord(name[i]) {
			return false
		}
	}
	_, s.rest, _ = strings.Cut(s.rest[len(tag):], tag)
	return true
}
