package aguihttp

import (
	"mime"
	"strconv"
	"strings"
)

// acceptsEventStream judges an Accept header (RFC 9110 §12.5.1). The most
// specific range that covers text/event-stream decides; none at all, or
// nothing that can be read, accepts everything.
func acceptsEventStream(values []string) bool {
	const (
		none = iota
		everything
		text
		exact
	)
	best, accepted, read := none, true, false
	for _, v := range values {
		for element := range strings.SplitSeq(v, ",") {
			t, params, err := mime.ParseMediaType(element)
			if err != nil || !strings.Contains(t, "/") {
				continue
			}
			read = true
			rank := none
			switch t {
			case "text/event-stream":
				rank = exact
			case "text/*":
				rank = text
			case "*/*":
				rank = everything
			}
			if rank > best {
				best, accepted = rank, quality(params["q"]) > 0
			}
		}
	}
	return !read || best != none && accepted
}

// quality reads a weight; what is none counts as 1.
func quality(q string) float64 {
	f, err := strconv.ParseFloat(q, 64)
	if err != nil {
		return 1
	}
	return f
}
