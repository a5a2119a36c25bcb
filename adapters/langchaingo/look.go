package langchaingo

import (
	"net/http"
	"reflect"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/aguistate/aguistate/adapters/internal/mask"
)

// found is what can be seen of a model from outside.
type found struct {
	tapped  bool         // the tap of [HTTPClient] is in it
	bare    bool         // it is not, for certain
	secrets mask.Secrets // what no error may quote
}

// look looks into a model of langchaingo's. It reads what langchaingo's own
// types are made of, and the Transport of an HTTP client; what else is in a
// model, callbacks say, is somebody else's, who may be writing to it.
func look(model llms.Model) found {
	l := looker{seen: map[uintptr]bool{}}
	l.walk(reflect.ValueOf(model))
	l.found.bare = l.ours && !l.hidden && !l.found.tapped
	return l.found
}

type looker struct {
	found
	seen   map[uintptr]bool
	ours   bool // a model of langchaingo's is there
	hidden bool // so is something that sends requests, and is not known
}

var doer = reflect.TypeFor[interface {
	Do(*http.Request) (*http.Response, error)
}]()

func (l *looker) walk(v reflect.Value) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return
		}
		switch t := v.Type(); {
		case t == reflect.TypeFor[*tap]():
			l.tapped = true
			return
		case t.Kind() == reflect.Pointer && t.Implements(doer) && t != reflect.TypeFor[*http.Client]():
			l.hidden = true
		}
		if v.Kind() == reflect.Pointer {
			if l.seen[v.Pointer()] {
				return
			}
			l.seen[v.Pointer()] = true
		}
		v = v.Elem()
	}
	t := v.Type()
	switch {
	case t == reflect.TypeFor[http.Client]():
		l.transport(v.FieldByName("Transport"))
		return
	case t.Implements(doer):
		l.hidden = true
	}
	if v.Kind() != reflect.Struct || !strings.HasPrefix(t.PkgPath(), "github.com/tmc/langchaingo/llms/") {
		return
	}
	l.ours = true
	for i := range v.NumField() {
		f := v.Field(i)
		if f.Kind() != reflect.String {
			l.walk(f)
			continue
		}
		switch name := strings.ToLower(t.Field(i).Name); {
		case strings.HasSuffix(name, "token"), strings.HasSuffix(name, "key"):
			l.secrets = l.secrets.Add(f.String())
		case strings.HasSuffix(name, "url"):
			l.secrets = l.secrets.URL(f.String())
		}
	}
}

// transport looks at what sends an HTTP client's requests.
func (l *looker) transport(v reflect.Value) {
	if v.IsNil() {
		return
	}
	switch v = v.Elem(); v.Type() {
	case reflect.TypeFor[*http.Transport]():
		return
	case reflect.TypeFor[*tap]():
		l.tapped = true
		return
	}
	t := v.Type()
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct || v.IsNil() || t.Elem().PkgPath() != "github.com/tmc/langchaingo/httputil" {
		l.hidden = true
		return
	}
	if inner := v.Elem().FieldByName("Transport"); inner.Kind() == reflect.Interface {
		l.transport(inner)
	}
}
