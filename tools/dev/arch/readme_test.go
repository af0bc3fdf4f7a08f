package arch

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bagscope/bagscope/internal/must"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestReadme runs the README's tour of the command line, block after block, as a reader would.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("the tour builds and runs the command line")
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here to run the tour with")
	}
	blocks := shellBlock.FindAllStringSubmatch(read(t, "README.md"), -1)
	must.Equal(t, len(blocks) >= 4, true, len(blocks))
	files := []string{"build/bag.png", "build/bag.csv", "build/bag.json"}
	for _, file := range files {
		os.Remove(filepath.Join(root, file))
	}
	for _, block := range blocks {
		if out, err := command(t, shell, "-eu", "-c", block[1]).CombinedOutput(); err != nil {
			t.Fatalf("%v in\n%s\n%s", err, block[1], out)
		}
	}
	for _, file := range files {
		if info, err := os.Stat(filepath.Join(root, file)); err != nil || info.Size() == 0 {
			t.Errorf("the tour leaves no %s: %v", file, err)
		}
	}
}

// TestReadmeServer starts the README's server on a free port and sends the README's requests.
func TestReadmeServer(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil || testing.Short() {
		t.Skip("needs sh, and time to build the command line")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is missing")
	}
	block := regexp.MustCompile(
		"(?s)## Use the HTTP server\n.*?```\n(.*?)\n```").FindStringSubmatch(
		read(t, "README.md"))
	must.Equal(t, block != nil, true, "the README lacks the requests of the HTTP server")
	program, site := filepath.Join(t.TempDir(), "bagscope"), t.TempDir()
	if out, err := command(t, "go", "build", "-o", program,
		"./tools/cmd/bagscope").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	must.Do(t, os.WriteFile(filepath.Join(site, "index.html"), []byte("<title>a site</title>"),
		0o600))
	lines := strings.Split(strings.NewReplacer("build/bagscope", program, "www/dist",
		site).Replace(block[1]), "\n")
	server := command(t, shell, "-c", "exec "+lines[0]+" --listen 127.0.0.1:0")
	log := must.Get(server.StderrPipe())(t)
	must.Do(t, server.Start())
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	first := bufio.NewScanner(log)
	var said struct{ Msg, Address string }
	if !first.Scan() || json.Unmarshal(first.Bytes(), &said) != nil || said.Msg != "listening" {
		t.Fatalf("the server says %q", first.Text())
	}
	go io.Copy(io.Discard, log)
	for _, line := range lines[1:] {
		request := strings.Replace(line, "http://127.0.0.1:8018/", said.Address, 1)
		must.Equal(t, request != line, true, line)
		must.Equal(t, strings.HasPrefix(line, "curl "), true, line)
		out, err := command(t, shell, "-c", request+
			" --silent --show-error --fail").CombinedOutput()
		must.Do(t, err, out, line)
		must.Equal(t, strings.Contains(string(out), `"explanations"`), true, out, line)
	}
}

// command is a program in the root of the repository that ends with the test.
func command(t *testing.T, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = root
	return cmd
}

// TestReadmeLinksExist checks all files and pictures that the README refers to.
func TestReadmeLinksExist(t *testing.T) {
	for _, m := range regexp.MustCompile(`(?:\]\(|src(?:set)?=")([^):"]+)`).FindAllStringSubmatch(
		outsideCode(read(t, "README.md")), -1) {
		file, heading, _ := strings.Cut(m[1], "#")
		info, err := os.Stat(filepath.Join(root, file))
		if err == nil && heading != "" && !strings.Contains(strings.ToLower(read(t, file)),
			"\n## "+strings.ReplaceAll(heading, "-", " ")) {
			t.Errorf("%s has no heading for %s", file, m[1])
		}
		if err != nil {
			t.Errorf("README.md points to %s: %v", m[1], err)
		} else if strings.Contains(m[1], "pictures/") && info.Size() > 150_000 {
			t.Errorf("%s takes %d bytes", m[1], info.Size())
		}
	}
}

// outsideCode is a text in Markdown without its blocks of code.
func outsideCode(text string) string {
	return regexp.MustCompile("(?s)```.*?```").ReplaceAllString(text, "")
}
