package sim

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A newcomer finds every file of the package in its documentation.
func TestDocNamesEveryFile(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") || f == "doc.go" || strings.HasPrefix(f, "preflight_") {
			continue
		}
		if !strings.Contains(string(doc), f) {
			t.Errorf("doc.go does not say what %s is for", f)
		}
	}
}

// A newcomer finds each kind under the name of the file that handles it.
func TestKindsStandUnderTheirFiles(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	methods, handlers, headings := map[string]string{}, map[string]string{}, map[string]string{} // methods' files; kinds' methods and files
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				methods[fn.Name.Name] = name
				if name == "engine.go" && strings.HasPrefix(fn.Name.Name, "serve") {
					addHandlers(handlers, fn.Body)
				}
			}
		}
		if name == "event.go" {
			addHeadings(headings, f)
		}
	}
	if len(headings) != int(kinds) || len(handlers) != int(kinds) {
		t.Errorf("%d kinds, %d under a heading, %d handled", kinds, len(headings), len(handlers))
	}
	for _, k := range slices.Sorted(maps.Keys(headings)) {
		if is := methods[handlers[k]]; is != headings[k] {
			t.Errorf("%s stands under %s; %s, which handles it, is in %s", k, headings[k], handlers[k], is)
		}
	}
}

// addHandlers finds what is called last in the case of each kind.
func addHandlers(handlers map[string]string, body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		c, ok := n.(*ast.CaseClause)
		if !ok || len(c.List) != 1 {
			return true
		}
		for _, s := range c.Body {
			ast.Inspect(s, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if method, ok := call.Fun.(*ast.SelectorExpr); ok {
						handlers[c.List[0].(*ast.Ident).Name] = method.Sel.Name
						return false // what it is given is looked up by the way
					}
				}
				return true
			})
		}
		return false
	})
}

// addHeadings finds the kinds and the line of its own, with the name of a file, that each stands under.
func addHeadings(headings map[string]string, f *ast.File) {
	names := f.Decls[slices.IndexFunc(f.Decls, func(d ast.Decl) bool { g, ok := d.(*ast.GenDecl); return ok && g.Tok == token.CONST })].(*ast.GenDecl)
	for _, s := range names.Specs {
		name := s.(*ast.ValueSpec).Names[0]
		for _, c := range f.Comments {
			if c.Pos() > names.Lparen && c.End() < name.Pos() && strings.HasSuffix(strings.TrimSpace(c.Text()), ".go") {
				headings[name.Name] = strings.TrimSpace(c.Text())
			}
		}
	}
	delete(headings, "kinds")
}

// Two kinds of one name would be the same to the digest.
func TestKindsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	codes := map[uint64]bool{}
	for k := range kindTable {
		name := kindTable[k].name
		if name == "" || seen[name] || codes[kindFacts[k].code] {
			t.Errorf("kind %d is called %q", k, name)
		}
		seen[name], codes[kindFacts[k].code] = true, true
	}
}
