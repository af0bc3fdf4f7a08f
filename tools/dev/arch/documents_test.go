package arch

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

var (
	codeSpan = regexp.MustCompile("`([^`\n]+)`")
	// sourceFile matches the name of a source file or document, in any folder or with a pattern.
	sourceFile = regexp.MustCompile(`^[\w.*-][\w./*-]*\.(go|ts|svelte|mjs|js|py|wgsl|css|md|txt)$`)
	makeTarget = regexp.MustCompile(`^make ([a-z][\w-]*)`)
	goSymbol   = regexp.MustCompile(`\b([a-z]\w+)\.([A-Z]\w*)`)
	// placeholder matches the parts of a path that stand for any name, such as NAME.
	placeholder = regexp.MustCompile(`\b[A-Z]{3,}\b`)
)

// documents are the texts for engineers who work on the project.
var documents = []string{"ARCHITECTURE.md", "CONTRIBUTING.md", "RATIONALE.md", "core/METHODS.md",
	"www/README.md", "onnxbackend/README.md", "onnxbackend/gpu/README.md", "testdata/README.md"}

// TestDocumentsNameWhatExists checks that every source file, exported Go symbol and make target in
// backticks exists.
func TestDocumentsNameWhatExists(t *testing.T) {
	files := trackedFiles(t)
	symbols := goSymbols(t, files)
	makefile := read(t, "Makefile")
	for _, document := range documents {
		for _, m := range codeSpan.FindAllStringSubmatch(outsideCode(read(t, document)), -1) {
			span := m[1]
			if sourceFile.MatchString(span) && !placeholder.MatchString(strings.TrimSuffix(span,
				".md")) && !named(files, path.Dir(document), span) {
				t.Errorf("%s names the file %s, which does not exist", document, span)
			}
			if v := makeTarget.FindStringSubmatch(span); v != nil &&
				!regexp.MustCompile(`(?m)^`+v[1]+`:`).MatchString(makefile) {
				t.Errorf("%s names make %s, which is not in the Makefile", document, v[1])
			}
			for _, s := range goSymbol.FindAllStringSubmatch(span, -1) {
				if names, ours := symbols[s[1]]; ours && !names[s[2]] {
					t.Errorf("%s names %s, which no package declares", document, s[0])
				}
			}
		}
	}
}

// A packageComment is the comment above a package clause, and fileLine a line of its list of files.
var (
	packageComment = regexp.MustCompile(`(?s)(?:\A|\n)((?://[^\n]*\n)+|/\*.*?\*/\n)package \w+\n`)
	fileLine       = regexp.MustCompile(`(?m)^(?://)?\t.*\.go\b.*`)
	goFile         = regexp.MustCompile(`[\w*]+\.go\b`)
)

// TestPackageCommentsNameFiles checks that the files exist which a package comment lists.
func TestPackageCommentsNameFiles(t *testing.T) {
	folders := map[string][]string{}
	for _, file := range trackedFiles(t) {
		if strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") {
			folders[path.Dir(file)] = append(folders[path.Dir(file)], file)
		}
	}
	listed := 0
	for folder, files := range folders {
		for _, file := range files {
			comment := packageComment.FindStringSubmatch(read(t, file))
			if comment == nil {
				continue
			}
			for _, line := range fileLine.FindAllString(comment[1], -1) {
				for _, name := range goFile.FindAllString(line, -1) {
					if listed++; !named(files, folder, name) {
						t.Errorf("%s lists %s, which does not exist", file, name)
					}
				}
			}
		}
	}
	must.Equal(t, listed != 0, true, "no package comment lists files")
}

// trackedFiles returns the files of the repository.
func trackedFiles(t *testing.T) []string {
	t.Helper()
	out := must.Get(exec.Command("git", "-C", root, "ls-files").Output())(t)
	return strings.Fields(string(out))
}

// eachTracked visits the files of the repository whose names end so, with their texts. It leaves
// out those that are removed and not yet committed.
func eachTracked(t *testing.T, ending string, visit func(file, text string)) {
	t.Helper()
	for _, file := range trackedFiles(t) {
		if !strings.HasSuffix(file, ending) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if os.IsNotExist(err) {
			continue
		}
		must.Do(t, err)
		visit(file, string(text))
	}
}

// named reports whether a path, which may be a pattern, names a file. It is relative to the
// document, to the root, or to a folder that the text around it names.
func named(files []string, folder, name string) bool {
	depth := strings.Count(name, "/")
	return slices.ContainsFunc(files, func(file string) bool {
		parts := strings.Split(file, "/")
		if len(parts) <= depth {
			return false
		}
		tail := strings.Join(parts[len(parts)-depth-1:], "/")
		for _, c := range [][2]string{{path.Join(folder, name), file}, {name, tail}} {
			if ok, err := path.Match(c[0], c[1]); err == nil && ok {
				return true
			}
		}
		return false
	})
}

// declared matches the names that a Go file exports: declarations, methods, and lines of groups and
// structs.
var declared = regexp.MustCompile(`(?m)^(?:(?:func|type|var|const) (?:\([^)]*\) )?|\t)([A-Z]\w*)`)

// goSymbols returns the exported names by package.
func goSymbols(t *testing.T, files []string) map[string]map[string]bool {
	t.Helper()
	symbols := map[string]map[string]bool{}
	for _, file := range files {
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		text := read(t, file)
		_, name, found := strings.Cut("\n"+text, "\npackage ")
		must.Equal(t, found, true, file)
		name = strings.Fields(name)[0]
		if symbols[name] == nil {
			symbols[name] = map[string]bool{}
		}
		for _, m := range declared.FindAllStringSubmatch(text, -1) {
			symbols[name][m[1]] = true
		}
	}
	return symbols
}

// TestNamedFindsFiles checks that the search for files is not so wide that it finds every name.
func TestNamedFindsFiles(t *testing.T) {
	files := []string{"core/options.go", "www/src/strings/en/article.ts"}
	for name, want := range map[string]bool{"core/options.go": true, "options.go": true,
		"en/article.ts": true, "opt*.go": true, "words.ts": false, "src/options.go": false,
		"options.ts": false} {
		must.Equal(t, named(files, "core", name), want, name)
	}
}
