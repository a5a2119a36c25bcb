package partialjson

import "fmt"

// state says what the next byte belongs to.
type state uint8

const (
	start       state = iota // before the value
	beforeValue              // after a colon, or a comma in an array
	firstValue               // after '['
	firstName                // after '{'
	beforeName               // after a comma in an object
	colon                    // after a name
	after                    // after a value inside a container
	inString
	inNumber
	inLiteral
	done
)

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// read reads one byte.
func (r *Reader) read(c byte) error {
	switch r.state {
	case inString:
		return r.readString(c)
	case inLiteral:
		if c != r.word[0] {
			return r.expected(fmt.Sprintf("the rest of a literal, %q", r.word), c)
		}
		r.out = append(r.out, c)
		if r.word = r.word[1:]; r.word == "" {
			r.end()
		}
		return nil
	case inNumber:
		next, ok := r.num.read(c)
		if ok {
			r.num = next
			r.out = append(r.out, c)
			return nil
		}
		if !r.num.whole() {
			return r.expected("the rest of a number", c)
		}
		r.end()
		return r.read(c) // which is not in a number any more
	case start:
		return r.readStart(c)
	case done:
		if r.Prose {
			return r.readAround(c)
		}
	}
	if isSpace(c) {
		return nil
	}
	switch r.state {
	case beforeValue:
		return r.begin(c)
	case firstValue:
		if c == ']' {
			return r.shut(c)
		}
		return r.begin(c)
	case firstName, beforeName:
		if c == '}' && r.state == firstName {
			return r.shut(c)
		}
		if c != '"' {
			return r.expected("a member name", c)
		}
		r.beginString(true, nil)
	case colon:
		if c != ':' {
			return r.expected("a colon", c)
		}
		r.out = append(r.out, c)
		r.state = beforeValue
	case after:
		return r.readAfter(c)
	case done:
		return r.fail(r.offset, "more text after the value")
	}
	return nil
}

// readAfter reads what follows a value inside a container.
func (r *Reader) readAfter(c byte) error {
	top := &r.stack[len(r.stack)-1]
	switch {
	case c == ',':
		r.out = append(r.out, c)
		top.index++
		r.state = beforeValue
		if top.object {
			r.state = beforeName
		}
		return nil
	case top.object && c == '}', !top.object && c == ']':
		return r.shut(c)
	case top.object:
		return r.expected("a comma or '}'", c)
	}
	return r.expected("a comma or ']'", c)
}

// begin reads the first byte of a value.
func (r *Reader) begin(c byte) error {
	switch {
	case c == '"':
		r.beginString(false, r.shape())
		return nil
	case c == '{' || c == '[':
		return r.enter(c)
	case c == 't':
		r.word = "rue"
	case c == 'f':
		r.word = "alse"
	case c == 'n':
		r.word = "ull"
	default:
		n, ok := beginNumber(c)
		if !ok {
			return r.expected("a value", c)
		}
		r.num, r.state = n, inNumber
		r.out = append(r.out, c)
		return nil
	}
	r.state = inLiteral
	r.out = append(r.out, c)
	return nil
}

// shape is that of the value which begins.
func (r *Reader) shape() Shape {
	if len(r.stack) == 0 {
		return r.Shape
	}
	top := &r.stack[len(r.stack)-1]
	switch {
	case top.shape == nil:
		return nil
	case top.object:
		return top.shape.Member(unquote(r.name()))
	}
	return top.shape.Element()
}

// enter opens a container.
func (r *Reader) enter(c byte) error {
	if len(r.stack) >= MaxDepth {
		return r.fail(r.offset, fmt.Sprintf("nested deeper than %d", MaxDepth))
	}
	f := frame{object: c == '{', names: len(r.names)}
	if r.hold == 0 {
		f.shape = r.shape()
	}
	r.stack = append(r.stack, f)
	r.out = append(r.out, c)
	r.state = firstValue
	if f.object {
		r.state = firstName
	}
	if r.hold == 0 && f.shape != nil && f.shape.Whole() {
		r.hold = len(r.stack)
	}
	r.show()
	return nil
}

// shut closes the innermost container.
func (r *Reader) shut(c byte) error {
	r.out = append(r.out, c)
	if r.hold == len(r.stack) {
		r.hold = 0
	}
	top := len(r.stack) - 1
	r.names = r.names[:r.stack[top].names]
	r.stack[top] = frame{}
	r.stack = r.stack[:top]
	r.end()
	return nil
}

// end ends a value.
func (r *Reader) end() {
	r.state = after
	if len(r.stack) == 0 {
		r.state = done
	}
	r.show()
}

// show makes all that was read visible, unless it is in a container that
// waits.
func (r *Reader) show() {
	if r.hold == 0 {
		r.visible = len(r.out)
		r.step = Finished
	}
}
