package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aguistate/aguistate/adapters/langchaingo"
	"github.com/aguistate/aguistate/adapters/openai"
	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/aguiclient"
	"github.com/aguistate/aguistate/middleware/aguihttp"
	"github.com/aguistate/aguistate/middleware/chat"
	"github.com/aguistate/aguistate/middleware/state"
)

// folders are the packages that users import, by name. adapters/openai is not
// here: langchaingo has a package of that name.
var folders = map[string]string{
	"agui": "middleware/agui", "chat": "middleware/chat", "state": "middleware/state",
	"aguihttp": "middleware/aguihttp", "aguiecho": "middleware/aguiecho", "aguiecho5": "middleware/aguiecho5",
	"aguiclient": "middleware/aguiclient", "aguitest": "middleware/aguitest",
	"langchaingo": "adapters/langchaingo",
}

// declared returns what a package declares: names, and members as Type.Name.
func declared(t *testing.T, folder string) (names []string, consts map[string]string) {
	t.Helper()
	consts = map[string]string{}
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil {
					name = receiver(d.Recv.List[0].Type) + "." + name
				}
				names = append(names, name)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names = append(names, s.Name.Name)
						names = append(names, members(s)...)
					case *ast.ValueSpec:
						for i, n := range s.Names {
							names = append(names, n.Name)
							if i < len(s.Values) {
								if v, ok := s.Values[i].(*ast.BasicLit); ok && v.Kind == token.STRING {
									consts[n.Name], _ = strconv.Unquote(v.Value)
								}
							}
						}
					}
				}
			}
		}
	}
	return names, consts
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func members(s *ast.TypeSpec) (out []string) {
	var list *ast.FieldList
	switch t := s.Type.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return nil
	}
	for _, f := range list.List {
		for _, n := range f.Names {
			out = append(out, s.Name.Name+"."+n.Name)
		}
	}
	return out
}

// name is a name of one of our packages in the text: `chat.Run`,
// `state.Session.Edit`.
var name = regexp.MustCompile(`\b(agui|chat|state|aguihttp|aguiecho|aguiecho5|aguiclient|aguitest|langchaingo)\.([A-Z]\w*(?:\.[A-Z]\w*)?)`)

func TestNamesExist(t *testing.T) {
	known := map[string][]string{}
	for pkg, folder := range folders {
		known[pkg], _ = declared(t, folder)
	}
	seen := 0
	for _, file := range markdown(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range name.FindAllStringSubmatch(fence.ReplaceAllString(string(text), ""), -1) {
			seen++
			if !slices.Contains(known[m[1]], m[2]) {
				t.Errorf("%s: there is no %s.%s", file, m[1], m[2])
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d names were found", seen)
	}
}

// page returns a page of the docs.
func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestErrorsAreListed: every code that a client may see is on the page.
func TestErrorsAreListed(t *testing.T) {
	text := page(t, "errors.md")
	n := 0
	for _, folder := range []string{"middleware/chat", "middleware/state", "adapters/openai", "adapters/langchaingo"} {
		_, consts := declared(t, folder)
		for name, value := range consts {
			if !strings.HasPrefix(name, "Code") {
				continue
			}
			n++
			if !strings.Contains(text, "`"+value+"`") {
				t.Errorf("docs/errors.md does not name %s (%s.%s)", value, folder, name)
			}
		}
	}
	code := regexp.MustCompile(`code: "([A-Z_]+)"`)
	files, err := filepath.Glob(filepath.Join(root, "middleware/aguihttp/*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range code.FindAllStringSubmatch(string(source), -1) {
			n++
			if !strings.Contains(text, "`"+m[1]+"`") {
				t.Errorf("docs/errors.md does not name %s of %s", m[1], file)
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d codes were found", n)
	}
}

// TestOptionsAreListed: every setting is on the page.
func TestOptionsAreListed(t *testing.T) {
	text := page(t, "options.md")
	for heading, typ := range map[string]reflect.Type{
		"chat.EventOptions":        reflect.TypeFor[chat.EventOptions](),
		"chat.FunctionInvocation":  reflect.TypeFor[chat.FunctionInvocation](),
		"chat.Options":             reflect.TypeFor[chat.Options](),
		"state.Generation":         reflect.TypeFor[state.Generation[Board]](),
		"state.Prediction":         reflect.TypeFor[state.Prediction[Board]](),
		"aguihttp.Options":         reflect.TypeFor[aguihttp.Options](),
		"openai.Options":           reflect.TypeFor[openai.Options](),
		"langchaingo.Options":      reflect.TypeFor[langchaingo.Options](),
		"langchaingo.ChainOptions": reflect.TypeFor[langchaingo.ChainOptions](),
		"aguiclient.Options":       reflect.TypeFor[aguiclient.Options](),
		"aguiclient.HTTPOptions":   reflect.TypeFor[aguiclient.HTTPOptions](),
		"aguiclient.ThreadOptions": reflect.TypeFor[aguiclient.ThreadOptions](),
	} {
		_, section, ok := strings.Cut(text, "## `"+heading+"`")
		if !ok {
			t.Errorf("docs/options.md has no section `%s`", heading)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		for i := range typ.NumField() {
			if f := typ.Field(i); f.IsExported() && !strings.Contains(section, "`"+f.Name+"`") {
				t.Errorf("docs/options.md does not name %s.%s", heading, f.Name)
			}
		}
	}
	// Options that are functions.
	names, _ := declared(t, "middleware/state")
	for _, n := range []string{"Announce", "Default", "Hide", "Key", "MaxBytes", "PromptWith", "Silent", "SnapshotsOnly", "Validate"} {
		if !slices.Contains(names, n) || !strings.Contains(text, "`"+n) {
			t.Errorf("docs/options.md does not name state.%s, or there is none", n)
		}
	}
}

// TestEventsAreListed: every event of the protocol is on the page.
func TestEventsAreListed(t *testing.T) {
	text := page(t, "events.md")
	_, consts := declared(t, "middleware/agui")
	n := 0
	for name, value := range consts {
		if strings.HasPrefix(name, "Type") && strings.ToUpper(value) == value {
			n++
			if !strings.Contains(text, "`"+value+"`") {
				t.Errorf("docs/events.md does not name %s", value)
			}
		}
	}
	if n != 31 {
		t.Errorf("%d event types were found, not 31", n)
	}
}

// TestLimitsAreWhatTheyAre holds the numbers of the page against the code.
func TestLimitsAreWhatTheyAre(t *testing.T) {
	text := page(t, "limits.md")
	for what, value := range map[string]string{
		"`MaxBody`":      strconv.Itoa(aguihttp.DefaultMaxBody>>20) + " MiB",
		"`ReadTimeout`":  aguihttp.DefaultReadTimeout.String(),
		"`WriteTimeout`": aguihttp.DefaultWriteTimeout.String(),
		"`Heartbeat`":    aguihttp.DefaultHeartbeat.String(),
		"`FlushWindow`":  aguihttp.DefaultFlushWindow.String(),
		"`MaxRetries`":   strconv.Itoa(openai.DefaultMaxRetries),
		"`MaxRetryWait`": openai.DefaultMaxRetryWait.String(),
		"`MaxChunk`":     strconv.Itoa(openai.DefaultMaxChunk>>20) + " MiB",
		"`MaxFrame`":     strconv.Itoa(aguiclient.DefaultMaxFrame>>20) + " MiB",
	} {
		found := false
		for line := range strings.Lines(text) {
			found = found || strings.Contains(line, what) && strings.Contains(line, "| "+value+" |")
		}
		if !found {
			t.Errorf("docs/limits.md has no row %s with | %s |", what, value)
		}
	}
	for _, idle := range []string{openai.DefaultIdleTimeout.String(), aguiclient.DefaultIdleTimeout.String()} {
		if idle != "5m0s" {
			t.Errorf("an idle timeout is %s, the page says 5 minutes", idle)
		}
	}
	if !strings.Contains(text, agui.ProtocolVersion) {
		t.Errorf("docs/limits.md does not name the protocol's version %s", agui.ProtocolVersion)
	}
}
