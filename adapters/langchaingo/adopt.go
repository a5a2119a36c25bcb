package langchaingo

import (
	"reflect"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

// adopter copies a chain with models that are listened to, memories that read
// the run's history, and callbacks that tell the run. It looks into the
// exported fields of langchaingo's own chains and agents.
type adopter struct {
	keepMemory bool
	// marker is what the agent's models write in front of the answer.
	marker string
	depth  int
	// handles: the outermost chain tells the run itself.
	handles bool
}

func (a *adopter) chain(c chains.Chain) chains.Chain {
	adopted, _ := a.copy(c).(chains.Chain)
	if adopted == nil {
		return c
	}
	return adopted
}

// ours reports whether a type is one of langchaingo's chains or agents.
func ours(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return false
	}
	path := t.PkgPath()
	return path == reflect.TypeFor[chains.LLMChain]().PkgPath() || path == reflect.TypeFor[agents.Executor]().PkgPath()
}

// copy returns an adopted copy of x, of the same type, or x itself.
func (a *adopter) copy(x any) any {
	v := reflect.ValueOf(x)
	if !v.IsValid() || !ours(v.Type()) || v.Kind() == reflect.Pointer && v.IsNil() {
		return x
	}
	defer func(marker string) { a.marker = marker }(a.marker)
	switch x.(type) {
	case *agents.ConversationalAgent:
		a.marker = "AI:"
	case *agents.OneShotZeroAgent:
		a.marker = "Final Answer:"
	}
	pointer := v.Kind() == reflect.Pointer
	if pointer {
		v = v.Elem()
	}
	c := reflect.New(v.Type())
	c.Elem().Set(v)
	a.depth++
	a.fields(c.Elem())
	a.depth--
	if pointer {
		return c.Interface()
	}
	return c.Elem().Interface()
}

// fields adopts the fields of a copy.
func (a *adopter) fields(c reflect.Value) {
	for i := range c.NumField() {
		f := c.Field(i)
		if !f.CanSet() || !f.CanInterface() {
			continue
		}
		var adopted any
		switch x := f.Addr().Interface().(type) {
		case *llms.Model:
			if *x == nil {
				continue
			}
			adopted = a.model(*x)
		case *schema.Memory:
			if *x == nil || a.keepMemory {
				continue
			}
			adopted = runMemory{*x}
		case *callbacks.Handler:
			// Agents use theirs for the stream, which is heard already.
			if _, isChain := c.Addr().Interface().(chains.Chain); !isChain {
				continue
			}
			adopted = a.handler(*x, c.Type().Name())
		case *agents.Agent:
			if *x == nil {
				continue
			}
			agent, _ := a.copy(*x).(agents.Agent)
			adopted = heardAgent{agent}
		default:
			if f.Kind() == reflect.Interface && !f.IsNil() || f.Kind() == reflect.Pointer && !f.IsNil() {
				adopted = a.copy(f.Interface())
			}
		}
		if v := reflect.ValueOf(adopted); v.IsValid() && v.Type().AssignableTo(f.Type()) {
			f.Set(v)
		}
	}
}

func (a *adopter) model(m llms.Model) llms.Model {
	if r, ok := m.(*runModel); ok {
		if a.marker == "" {
			return r
		}
		r = new(*r)
		r.marker = a.marker
		return r
	}
	return &runModel{model: m, marker: a.marker}
}

func (a *adopter) handler(h callbacks.Handler, name string) callbacks.Handler {
	if a.depth == 1 {
		a.handles = true
	}
	ours := &Handler{Name: name}
	if h == nil {
		return ours
	}
	return callbacks.CombiningHandler{Callbacks: []callbacks.Handler{h, ours}}
}

// typeName returns the name of a chain's type.
func typeName(c chains.Chain) string {
	t := reflect.TypeOf(c)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Name() == "" {
		return "chain"
	}
	return t.Name()
}
