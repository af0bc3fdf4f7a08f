package arch

import (
	"encoding/json"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

// install matches a command that installs npm packages, with its flags.
var install = regexp.MustCompile(
	`\bnpm((?: +--?[\w-]+(?:[= ][\w./-]+)?)*) +(?:ci|install|i)\b([^&|;\n]*)`)

// TestNoScriptOfPackages: packages of others run no program while they are installed. Each folder
// with a package.json has an .npmrc that forbids it, and commands elsewhere pass --ignore-scripts.
// npm then omits the scripts pre* and post* of the folder itself, so it must not have any.
func TestNoScriptOfPackages(t *testing.T) {
	folders := map[string]bool{}
	commands := 0
	for _, name := range trackedFiles(t) {
		switch {
		case path.Base(name) == "package.json":
			folder := path.Dir(name)
			folders[folder] = true
			must.Equal(t, strings.Contains(read(t, folder+"/.npmrc"), "\nignore-scripts=true\n"),
				true, folder)
			var file struct{ Scripts map[string]string }
			must.Do(t, json.Unmarshal([]byte(read(t, name)), &file))
			for script := range file.Scripts {
				if strings.HasPrefix(script, "pre") || strings.HasPrefix(script, "post") {
					t.Errorf("%s: npm does not run the script %s; name it in another script",
						name, script)
				}
			}
		case name == "Makefile" || strings.HasPrefix(name, ".github/") ||
			strings.HasPrefix(name, ".ci/"):
			text := must.Get(os.ReadFile(path.Join(root, name)))(t)
			found := install.FindAllStringSubmatch(string(text), -1)
			commands += len(found)
			for _, command := range found {
				if !quietInstall(command) {
					t.Errorf("%s: %q can run scripts of packages; use --prefix FOLDER, or "+
						"--ignore-scripts", name, command[0])
				}
			}
		}
	}
	must.Equal(t, len(folders) >= 5, true, len(folders), commands)
	must.Equal(t, commands >= 5, true, len(folders), commands)
	for text, quiet := range map[string]bool{
		"npm --prefix www ci":                         true,
		"npm ci --ignore-scripts":                     true,
		"npm ci":                                      false,
		"cd www && npm install x":                     false,
		"npm --prefix www ci --ignore-scripts=false":  false,
		"npm --ignore-scripts=false --prefix=www ci":  false,
		"npm install --no-audit file.tgz && echo --a": false,
		"npm i --ignore-scripts --no-save typescript": true,
	} {
		if command := install.FindStringSubmatch(text); command == nil ||
			quietInstall(command) != quiet {
			t.Errorf("%q is judged wrongly: %q", text, command)
		}
	}
}

// quietInstall reports whether an install, as install finds it, runs no scripts.
func quietInstall(command []string) bool {
	flags := command[1] + " " + command[2]
	return !strings.Contains(flags, "--ignore-scripts=false") &&
		(strings.Contains(flags, "--ignore-scripts") || strings.Contains(flags, "--prefix"))
}
