package langchaingo

import (
	"strconv"
	"strings"

	"github.com/aguistate/aguistate/middleware/chat"
)

// maxName is the longest tool name that providers take.
const maxName = 64

// names translates tool names to what providers take (letters, digits, _ and
// -, at most 64) and back. A name that is fine stays.
type names struct{ there, here map[string]string }

func newNames(tools []chat.Tool) *names {
	n := &names{there: map[string]string{}, here: map[string]string{}}
	for _, t := range tools { // who may stay has the first claim
		if t.Name != "" && valid(t.Name, "") == t.Name {
			n.there[t.Name], n.here[t.Name] = t.Name, t.Name
		}
	}
	for _, t := range tools {
		n.theirs(t.Name)
	}
	return n
}

// theirs returns a name as the provider knows it.
func (n *names) theirs(name string) string {
	if there, ok := n.there[name]; ok {
		return there
	}
	there := valid(name, "_")
	for k := 2; n.here[there] != ""; k++ {
		suffix := "_" + strconv.Itoa(k)
		there = valid(name, "_")
		there = there[:min(len(there), maxName-len(suffix))] + suffix
	}
	n.there[name], n.here[there] = there, name
	return there
}

// ours returns the name behind a provider's.
func (n *names) ours(there string) string {
	if name, ok := n.here[there]; ok {
		return name
	}
	return there
}

// settled reports whether a name is known, and no longer one begins so.
func (n *names) settled(there string) bool {
	if n.here[there] == "" {
		return false
	}
	for longer := range n.here {
		if len(longer) > len(there) && strings.HasPrefix(longer, there) {
			return false
		}
	}
	return true
}

// begins reports whether a known name begins so, or is so.
func (n *names) begins(there string) bool {
	for name := range n.here {
		if there != "" && strings.HasPrefix(name, there) {
			return true
		}
	}
	return false
}

// valid returns a name with what providers refuse replaced by _, and empty
// for an empty one.
func valid(name, empty string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	if name == "" {
		return empty
	}
	return name[:min(len(name), maxName)]
}
