package csvtext

import "bytes"

// Mark puts an apostrophe before a text that a spreadsheet would run as a formula: a text that
// begins with =, +, -, @, a tab or CR, also after quotation marks. Numbers stay as they are.
func Mark(text []byte) []byte {
	if !isFormula(text) {
		return text
	}
	return append([]byte{'\''}, text...)
}

// Unmark takes off the apostrophe of [Mark].
func Unmark(cell []byte) []byte {
	if len(cell) > 0 && cell[0] == '\'' && isFormula(cell[1:]) {
		return cell[1:]
	}
	return cell
}

func isFormula(text []byte) bool {
	rest := bytes.TrimLeft(text, `"'`)
	if len(rest) == 0 {
		return false
	}
	switch rest[0] {
	case '=', '+', '@', '\t', '\r':
		return true
	case '-':
		return !isNumber(text)
	}
	return false
}

// isNumber reports whether a text is a number as the API writes it, such as -5.00.
func isNumber(text []byte) bool {
	whole, fraction, point := bytes.Cut(bytes.TrimPrefix(text, []byte{'-'}), []byte{'.'})
	return isDigits(whole) && (!point || isDigits(fraction))
}

func isDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) > 0
}
