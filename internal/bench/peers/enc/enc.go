// Package enc is a sketch of the optimal encoder: appends SSE frames to a caller's buffer.
package enc

import (
	"strconv"
	"unicode/utf8"

	"github.com/aguistate/aguistate/internal/bench/script"
)

const hex = "0123456789abcdef"

var safe [256]bool

func init() {
	for i := 0x20; i < 0x80; i++ {
		safe[i] = i != '"' && i != '\\'
	}
}

// String appends s as a JSON string.
func String(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if safe[c] {
			i++
			continue
		}
		if c >= 0x80 {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				b = append(append(b, s[from:i]...), "\ufffd"...)
				i++
				from = i
				continue
			}
			i += n
			continue
		}
		b = append(b, s[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	return append(append(b, s[from:]...), '"')
}

// TextPrefix is the constant part of the content events of one message.
func TextPrefix(messageID string) []byte {
	b := append([]byte(nil), `data: {"type":"TEXT_MESSAGE_CONTENT","messageId":`...)
	return append(String(b, messageID), `,"delta":`...)
}

func Text(b, prefix []byte, delta string) []byte {
	return append(String(append(b, prefix...), delta), "}\n\n"...)
}

// Op appends one patch operation with an encoded value.
func Op(b []byte, op, path string, value []byte) []byte {
	b = append(append(append(b, `{"op":"`...), op...), `","path":`...)
	b = String(b, path)
	if value != nil {
		b = append(append(b, `,"value":`...), value...)
	}
	return append(b, '}')
}

const (
	DeltaOpen  = `data: {"type":"STATE_DELTA","delta":[`
	DeltaClose = "]}\n\n"
	SnapOpen   = `data: {"type":"STATE_SNAPSHOT","snapshot":`
	SnapClose  = "}\n\n"
)

func Event(b []byte, typ string, kv ...string) []byte {
	b = append(append(append(b, `data: {"type":"`...), typ...), '"')
	for i := 0; i < len(kv); i += 2 {
		b = append(append(append(b, ',', '"'), kv[i]...), '"', ':')
		b = String(b, kv[i+1])
	}
	return append(b, "}\n\n"...)
}

// State appends the recipe document as generated code would.
func State(b []byte, s *script.State) []byte {
	r := &s.Recipe
	b = append(b, `{"recipe":{"title":`...)
	b = String(b, r.Title)
	b = append(b, `,"skill_level":`...)
	b = String(b, r.SkillLevel)
	b = append(b, `,"cooking_time":`...)
	b = String(b, r.CookingTime)
	b = append(b, `,"servings":`...)
	b = strconv.AppendInt(b, int64(r.Servings), 10)
	b = append(b, `,"special_preferences":`...)
	b = strs(b, r.Preferences)
	b = append(b, `,"ingredients":[`...)
	for i := range r.Ingredients {
		if i > 0 {
			b = append(b, ',')
		}
		g := &r.Ingredients[i]
		b = append(b, `{"id":`...)
		b = String(b, g.ID)
		b = append(b, `,"icon":`...)
		b = String(b, g.Icon)
		b = append(b, `,"name":`...)
		b = String(b, g.Name)
		b = append(b, `,"amount":`...)
		b = String(b, g.Amount)
		b = append(b, `,"note":`...)
		b = String(b, g.Note)
		b = append(b, '}')
	}
	b = append(b, `],"instructions":`...)
	b = strs(b, r.Instructions)
	b = append(b, `,"nutrition":{"kcal":`...)
	b = strconv.AppendInt(b, int64(r.Nutrition.Kcal), 10)
	b = append(b, `,"protein_g":`...)
	b = strconv.AppendFloat(b, r.Nutrition.Protein, 'f', -1, 64)
	b = append(b, `,"fat_g":`...)
	b = strconv.AppendFloat(b, r.Nutrition.Fat, 'f', -1, 64)
	b = append(b, `,"carbs_g":`...)
	b = strconv.AppendFloat(b, r.Nutrition.Carbs, 'f', -1, 64)
	b = append(b, `},"changes":`...)
	b = String(b, r.Changes)
	return append(b, "}}"...)
}

func strs(b []byte, v []string) []byte {
	b = append(b, '[')
	for i, s := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = String(b, s)
	}
	return append(b, ']')
}
