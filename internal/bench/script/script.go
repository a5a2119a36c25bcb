// Package script is the data of the workloads, in workload.json: every server
// under test, in whatever language, plays that file.
package script

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"os"
	"time"
)

//go:embed workload.json
var workload []byte

// Default returns the workloads that this package holds.
func Default() (*Script, error) { return parse(workload) }

// JSON returns the file of the workloads, for servers in other languages.
func JSON() []byte { return bytes.Clone(workload) }

// Script is the workloads. W1 streams text, W2 text and a changing document, W3
// is many slow streams.
type Script struct {
	W1 struct {
		Input  json.RawMessage `json:"input"`
		Deltas []string        `json:"deltas"`
		Events int             `json:"events"`
	} `json:"w1"`
	W2 struct {
		Input  json.RawMessage `json:"input"` // RunAgentInput with the 10 KB document in .state
		Steps  []Step          `json:"steps"`
		Final  json.RawMessage `json:"final"` // the document after all publishes
		Events int             `json:"events"`
	} `json:"w2"`
	W3 struct {
		Input json.RawMessage `json:"input"`
	} `json:"w3"`
}

// Step is either a text delta or a publish of the changed document.
type Step struct {
	Text string `json:"text,omitempty"`
	Pub  *Pub   `json:"pub,omitempty"`
}

// Pub is one change of the document, in a form for typed documents (Field, Index)
// and in a form for generic ones (Op, Path as JSON pointer).
type Pub struct {
	Field string          `json:"field"`
	Index int             `json:"index"`
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value"`

	Str string     `json:"-"`
	Num int        `json:"-"`
	Ing Ingredient `json:"-"`
	Any any        `json:"-"`
}

// State is the document of W2.
type State struct {
	Recipe Recipe `json:"recipe"`
}

// Recipe is what the document holds.
type Recipe struct {
	Title        string       `json:"title"`
	SkillLevel   string       `json:"skill_level"`
	CookingTime  string       `json:"cooking_time"`
	Servings     int          `json:"servings"`
	Preferences  []string     `json:"special_preferences"`
	Ingredients  []Ingredient `json:"ingredients"`
	Instructions []string     `json:"instructions"`
	Nutrition    Nutrition    `json:"nutrition"`
	Changes      string       `json:"changes"`
}

// Ingredient is one of a recipe's.
type Ingredient struct {
	ID     string `json:"id"`
	Icon   string `json:"icon"`
	Name   string `json:"name"`
	Amount string `json:"amount"`
	Note   string `json:"note"`
}

// Nutrition is a recipe's.
type Nutrition struct {
	Kcal    int     `json:"kcal"`
	Protein float64 `json:"protein_g"`
	Fat     float64 `json:"fat_g"`
	Carbs   float64 `json:"carbs_g"`
}

// Load reads a file of workloads.
func Load(path string) (*Script, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parse(b)
}

func parse(b []byte) (*Script, error) {
	s := new(Script)
	if err := json.Unmarshal(b, s); err != nil {
		return nil, err
	}
	for _, r := range []*json.RawMessage{&s.W1.Input, &s.W2.Input, &s.W2.Final, &s.W3.Input} {
		compact(r)
	}
	for i := range s.W2.Steps {
		if p := s.W2.Steps[i].Pub; p != nil {
			compact(&p.Value)
			if err := p.Prepare(); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

func compact(r *json.RawMessage) {
	var b bytes.Buffer
	if json.Compact(&b, *r) == nil {
		*r = b.Bytes()
	}
}

// Prepare decodes Value into the typed members once, so that servers don't parse in the run.
func (p *Pub) Prepare() error {
	if err := json.Unmarshal(p.Value, &p.Any); err != nil {
		return err
	}
	switch p.Field {
	case "servings", "kcal":
		return json.Unmarshal(p.Value, &p.Num)
	case "ingredient":
		return json.Unmarshal(p.Value, &p.Ing)
	}
	return json.Unmarshal(p.Value, &p.Str)
}

// Apply makes the change on a typed document.
func (p *Pub) Apply(s *State) {
	r := &s.Recipe
	switch p.Field {
	case "title":
		r.Title = p.Str
	case "changes":
		r.Changes = p.Str
	case "servings":
		r.Servings = p.Num
	case "kcal":
		r.Nutrition.Kcal = p.Num
	case "amount":
		r.Ingredients[p.Index].Amount = p.Str
	case "instruction":
		r.Instructions[p.Index] = p.Str
	case "ingredient":
		r.Ingredients = append([]Ingredient{p.Ing}, r.Ingredients...)
	}
}

// ApplyMap makes the change on a generic document.
func (p *Pub) ApplyMap(doc map[string]any) {
	r := doc["recipe"].(map[string]any)
	switch p.Field {
	case "title", "changes", "servings":
		r[p.Field] = p.Any
	case "kcal":
		r["nutrition"].(map[string]any)["kcal"] = p.Any
	case "amount":
		r["ingredients"].([]any)[p.Index].(map[string]any)["amount"] = p.Any
	case "instruction":
		r["instructions"].([]any)[p.Index] = p.Any
	case "ingredient":
		r["ingredients"] = append([]any{p.Any}, r["ingredients"].([]any)...)
	}
}

const b64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// Stamp is the 5-byte W3 delta: 21 bits of the wall clock in µs at the emit, and
// 9 bits of how late the emit was against its due time, in units of 250 µs.
func Stamp(due, now time.Time) string {
	late := now.Sub(due) / (250 * time.Microsecond)
	late = max(0, min(511, late))
	v := uint32(now.UnixMicro()&(1<<21-1))<<9 | uint32(late)
	return string([]byte{b64[v>>24&63], b64[v>>18&63], b64[v>>12&63], b64[v>>6&63], b64[v&63]})
}

// Unstamp gives the time since the emit and since the due time.
func Unstamp(s []byte, now time.Time) (emit, due time.Duration, ok bool) {
	if len(s) != 5 {
		return 0, 0, false
	}
	var v uint32
	for _, c := range s {
		x := rev[c]
		if x < 0 {
			return 0, 0, false
		}
		v = v<<6 | uint32(x)
	}
	us := (uint32(now.UnixMicro()) - v>>9) & (1<<21 - 1)
	emit = time.Duration(us) * time.Microsecond
	return emit, emit + time.Duration(v&511)*250*time.Microsecond, true
}

var rev [256]int8

func init() {
	for i := range rev {
		rev[i] = -1
	}
	for i := range b64 {
		rev[b64[i]] = int8(i)
	}
}
