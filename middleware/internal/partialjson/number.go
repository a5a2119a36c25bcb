package partialjson

// num says what of a number (RFC 8259 §6) has been read.
type num uint8

const (
	minus num = iota
	zero
	integer
	point
	fraction
	exponent // its letter
	sign
	power
)

func beginNumber(c byte) (num, bool) {
	switch {
	case c == '-':
		return minus, true
	case c == '0':
		return zero, true
	case '1' <= c && c <= '9':
		return integer, true
	}
	return 0, false
}

// read returns what has been read with c. ok is false when c is no part of
// the number.
func (n num) read(c byte) (next num, ok bool) {
	digit := '0' <= c && c <= '9'
	switch n {
	case minus:
		next, ok = beginNumber(c)
		return next, ok && c != '-'
	case zero, integer:
		switch {
		case n == integer && digit:
			return integer, true
		case c == '.':
			return point, true
		case c|0x20 == 'e':
			return exponent, true
		}
	case point:
		return fraction, digit
	case fraction:
		if c|0x20 == 'e' {
			return exponent, true
		}
		return fraction, digit
	case exponent:
		if c == '+' || c == '-' {
			return sign, true
		}
		return power, digit
	case sign, power:
		return power, digit
	}
	return n, false
}

// whole reports whether the number may end here.
func (n num) whole() bool {
	return n == zero || n == integer || n == fraction || n == power
}
