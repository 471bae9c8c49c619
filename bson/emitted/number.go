package emitted

import "strconv"

// ParseInt32 parses a number, or returns nil when the text is not one.
func ParseInt32(text string) *int32 {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return nil
	}
	return new(int32(n))
}
