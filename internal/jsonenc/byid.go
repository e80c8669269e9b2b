package jsonenc

import "strconv"

// AppendByID writes a list as an object by the ids of its values and, without any, as an
// empty array, as the interface has empty maps inside objects (decisions §14).
func AppendByID[T any](dst []byte, list []T, id func(*T) int64) (_ []byte, err error) {
	if len(list) == 0 {
		return append(dst, "[]"...), nil
	}
	for i := range list {
		before := byte(',')
		if i == 0 {
			before = '{'
		}
		dst = append(dst, before, '"')
		dst = strconv.AppendInt(dst, id(&list[i]), 10)
		dst = append(dst, `":`...)
		if dst, err = Append(dst, &list[i]); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}
