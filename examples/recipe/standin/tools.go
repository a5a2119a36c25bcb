package standin

import (
	"regexp"
	"slices"
	"strings"
)

// role is what a tool is good for, judged by its name, its description and the
// names of its parameters.
type role int

const (
	roleOther    role = iota
	roleWhole         // takes a whole recipe
	roleDocument      // takes a written document
	roleAdd
	roleRemove
	roleReplace
	roleScale
	roleRename
	roleSkill
	roleTime
	roleConfirm
	roleClear
)

type tool struct {
	name   string
	words  []string // of the name
	about  string   // of the name and the description
	schema *object
	role   role
}

// asksItselfRE finds, in what is said of a tool, that a person is asked before it runs.
var asksItselfRE = regexp.MustCompile(`approv|is asked before`)

var deletingRE = regexp.MustCompile(`delet|remov|eras|clear|destr`)

var camelRE = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// nameWords splits "addIngredient" or "add_ingredient" into words.
func nameWords(name string) []string {
	return strings.FieldsFunc(strings.ToLower(camelRE.ReplaceAllString(name, "$1 $2")), func(r rune) bool { return r == '_' || r == '-' || r == ' ' || r == '.' })
}

func readTools(specs []toolSpec) []tool {
	var out []tool
	for _, s := range specs {
		f := s.Function
		t := tool{name: f.Name, words: nameWords(f.Name), schema: f.schema}
		t.about = strings.ToLower(strings.Join(t.words, " ") + " " + f.Description)
		t.role = roleOf(t)
		out = append(out, t)
	}
	return out
}

func (t tool) named(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(t.words, w) })
}

// param finds a parameter by what its name says; kind is its JSON type, or "".
func (t tool) param(kind string, names ...string) string {
	props := t.schema.obj("properties")
	if props == nil {
		return ""
	}
	for _, n := range names {
		for _, k := range props.keys {
			p := props.obj(k)
			if iconName(k) != n && !slices.Contains(nameWords(k), n) {
				continue
			}
			if types := typesOf(p); kind == "" || len(types) == 0 || slices.Contains(types, kind) || kind == "number" && slices.Contains(types, "integer") {
				return k
			}
		}
	}
	return ""
}

// iconName folds the names that a parameter for an emoji goes by.
func iconName(k string) string {
	switch strings.ToLower(k) {
	case "icon", "emoji", "symbol":
		return "icon"
	}
	return strings.ToLower(k)
}

var thingNames = []string{"name", "ingredient", "item", "names", "ingredients", "items", "what", "target", "food"}

func roleOf(t tool) role {
	switch {
	case t.named("confirm", "confirmation", "ask") || t.named("approve") && !t.named("recipe"):
		return roleConfirm
	case holdsRecipe(t.schema, 0):
		return roleWhole
	case t.named("write", "document", "draft") && t.param("string", "document", "content", "markdown", "text") != "":
		return roleDocument
	case t.named("replace", "substitute", "swap") && len(stringParams(t)) >= 2:
		return roleReplace
	case t.named("add", "insert", "append", "put") && t.param("", thingNames...) != "":
		return roleAdd
	case t.named("remove", "delete", "drop") && t.param("", thingNames...) != "":
		return roleRemove
	case t.named("scale", "double", "multiply", "resize", "servings", "portions"):
		return roleScale
	case t.named("rename", "title") || t.named("set", "change", "update") && t.named("name"):
		return roleRename
	case t.named("clear", "reset", "erase") || t.named("start") && t.named("over"):
		return roleClear
	case t.named("skill", "difficulty", "level"):
		return roleSkill
	case t.named("time", "duration"):
		return roleTime
	}
	return roleOther
}

func stringParams(t tool) []string {
	var out []string
	if props := t.schema.obj("properties"); props != nil {
		for _, k := range props.keys {
			if p := props.obj(k); slices.Contains(typesOf(p), "string") {
				out = append(out, k)
			}
		}
	}
	return out
}

// holdsRecipe tells whether a schema asks for a list of ingredients together
// with what makes a recipe of them.
func holdsRecipe(s *object, depth int) bool {
	if depth > 3 || s == nil {
		return false
	}
	props := s.obj("properties")
	if props == nil {
		return false
	}
	if props.has("ingredients") && (props.has("title") || props.has("instructions")) {
		return true
	}
	for _, k := range props.keys {
		if nameKey(k) == "recipe" && props.obj(k) != nil || holdsRecipe(props.obj(k), depth+1) {
			return true
		}
	}
	return false
}
