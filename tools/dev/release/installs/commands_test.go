package installs

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const ownModule = "github.com/bagscope/bagscope"

// explain returns the arguments that explain a bag of the examples, and a text of the result.
func explain() (args []string, text string) {
	return []string{"explain", "--model", examplesInside + "/digits/model.onnx",
		"--bag", examplesInside + "/digits/bags.npz"}, "a 9"
}

// explains checks that a command prints its version with a text, and explains a bag.
func (s sandbox) explains(ctx context.Context, source string, command ...string) error {
	if err := s.expect(ctx, source, append(command, "version")...); err != nil {
		return err
	}
	args, text := explain()
	return s.expect(ctx, text, append(command, args...)...)
}

// goInstall installs the command from a module proxy, a folder that has the commit as the released
// version. Other modules come from the files that this machine has downloaded.
func (m *machine) goInstall(ctx context.Context) error {
	if err := m.writeProxy(filepath.Join(m.work, "proxy")); err != nil {
		return err
	}
	cache, err := exec.CommandContext(ctx, "go", "env", "GOMODCACHE", "GOCACHE", "GOROOT").Output()
	if err != nil {
		return err
	}
	folders := strings.Fields(string(cache))
	if len(folders) != 3 {
		return fmt.Errorf("go env prints %q", cache)
	}
	const cacheInside, downloadsInside = givenInside + "/cache", givenInside + "/downloads"
	// Compiled packages are taken from the cache of this machine, which only saves time. Its index
	// of a module's files is not: the version's files change from commit to commit before its
	// release.
	s := m.host(false, "GOPATH="+workInside+"/go", "GOCACHE="+cacheInside, "GOTOOLCHAIN=local",
		"GODEBUG=goindex=0", "GOSUMDB=off", "GOFLAGS=-modcacherw -trimpath", "CGO_ENABLED=0",
		"GOPROXY=file://"+workInside+"/proxy,file://"+downloadsInside).
		with("--ro-bind", filepath.Join(folders[0], "cache", "download"), downloadsInside,
			"--bind", folders[1], cacheInside, "--ro-bind", folders[2], folders[2])
	if _, err := s.run(ctx, filepath.Join(folders[2], "bin", "go"), "install",
		ownModule+"/tools/cmd/bagscope@v"+m.version); err != nil {
		return err
	}
	return s.explains(ctx, "bagscope "+m.version+", module version v"+m.version,
		workInside+"/go/bin/bagscope")
}

// writeProxy writes the commit as a version of the module, in the layout of module proxies.
func (m *machine) writeProxy(dir string) error {
	version := module.Version{Path: ownModule, Version: "v" + m.version}
	folder := filepath.Join(dir, filepath.FromSlash(ownModule), "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	gomod, err := os.ReadFile(filepath.Join(m.root, "go.mod"))
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"list": version.Version + "\n",
		version.Version + ".info": `{"Version":"` + version.Version + `"}`,
		version.Version + ".mod":  string(gomod)} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	// The package zip does not find the commits of a worktree, but those of a clone.
	clone := filepath.Join(m.work, "clone")
	if out, err := exec.Command("git", "clone", "--quiet", "--local", "--no-checkout", m.root,
		clone).CombinedOutput(); err != nil {
		return fmt.Errorf("git clone: %w: %s", err, out)
	}
	archive, err := os.Create(filepath.Join(folder, version.Version+".zip"))
	if err != nil {
		return err
	}
	defer archive.Close()
	if err := zip.CreateFromVCS(archive, version, clone, m.commit, ""); err != nil {
		return err
	}
	return archive.Close()
}

// archive runs the commands of the archive where no other file is.
func (m *machine) archive(ctx context.Context) error {
	root := filepath.Join(m.work, "root")
	for _, name := range []string{"bagscope", "bagscope-cohort"} {
		folder := fmt.Sprintf("%s-%s-%s-%s", name, m.version, runtime.GOOS, runtime.GOARCH)
		if err := untarFile(filepath.Join(m.release, folder+".tar.gz"), root); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(root, folder), filepath.Join(root, name)); err != nil {
			return err
		}
	}
	s := m.bare(root, false)
	if err := s.explains(ctx, "commit "+m.commit[:12], "/bagscope/bagscope"); err != nil {
		return err
	}
	if err := s.expect(ctx, "Train the paper", "/bagscope/bagscope", "train",
		"--help"); err != nil {
		return err
	}
	// Beam crashes if it cannot find out the user, from /etc/passwd or from these variables.
	return m.bare(root, false, "USER=somebody", "HOME=/tmp").expect(ctx, "bagscope cohort",
		"/bagscope-cohort/bagscope-cohort", "--help")
}

// npm installs the package without a network and explains a bag in Node.
func (m *machine) npm(ctx context.Context) error {
	file := fmt.Sprintf("%s/bagscope-%s.tgz", releaseInside, m.version)
	s := m.host(false, "npm_config_offline=true")
	if err := os.WriteFile(filepath.Join(m.work, "explain.mjs"), []byte(nodeProgram),
		0o644); err != nil {
		return err
	}
	if _, err := s.run(ctx, "npm", "install", "--no-audit", "--no-fund", file); err != nil {
		return err
	}
	if err := s.expect(ctx, "bagscope "+m.version+": an 8", "node", "explain.mjs"); err != nil {
		return err
	}
	if _, err := s.run(ctx, "npx", "bagscope-page", "--model", examplesInside+"/digits/model.onnx",
		"--bag", examplesInside+"/digits/bags.npz", "--out", "page.html"); err != nil {
		return err
	}
	page, err := os.ReadFile(filepath.Join(m.work, "page.html"))
	if err == nil && !strings.Contains(string(page), "Content-Security-Policy") {
		err = fmt.Errorf("bagscope-page wrote a page without a policy")
	}
	return err
}

// nodeProgram explains the first bag of the examples and prints the class of the highest score.
const nodeProgram = `import { readFile } from "node:fs/promises";
import { load } from "bagscope";
const engine = await load();
const model = await engine.open(await readFile("` + examplesInside + `/digits/model.onnx"));
const data = await readFile("` + examplesInside + `/digits/bags.npz");
const bag = await engine.bag(data, { name: "bags.npz", index: 0, model });
const { explanations } = await model.explain(bag);
const best = explanations.toSorted((a, b) => Math.max(...b.scores) - Math.max(...a.scores))[0];
console.log("bagscope " + engine.version + ": " + model.info.classes[best.class]);
engine.close();
`

// pip installs the wheel, and NumPy from the index, into an environment of its own, and explains a
// bag without the network.
func (m *machine) pip(ctx context.Context) error {
	wheel, err := m.wheel()
	if err != nil {
		return err
	}
	online := m.host(true, "PIP_DISABLE_PIP_VERSION_CHECK=1")
	if _, err := online.run(ctx, "python3", "-m", "venv", "venv"); err != nil {
		return err
	}
	if _, err := online.run(ctx, "venv/bin/pip", "install", "--quiet", "--only-binary", ":all:",
		path.Join(releaseInside, wheel)); err != nil {
		return err
	}
	s := m.host(false)
	program := fmt.Sprintf("import bagscope; print(bagscope.__version__, "+
		"bagscope.explain(%[1]q, %[2]q).scores.shape)", examplesInside+"/digits/model.onnx",
		examplesInside+"/digits/bags.npz")
	if err := s.expect(ctx, m.version+" (", "venv/bin/python", "-c", program); err != nil {
		return err
	}
	return s.explains(ctx, "commit "+m.commit[:12], "venv/bin/bagscope")
}

// wheel returns the name of the wheel for this machine.
func (m *machine) wheel() (string, error) {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	found, err := filepath.Glob(filepath.Join(m.release, "bagscope-*manylinux*"+arch+"*.whl"))
	if err == nil && len(found) != 1 {
		err = fmt.Errorf("%d wheels for this machine in %s", len(found), m.release)
	}
	if err != nil {
		return "", err
	}
	return filepath.Base(found[0]), nil
}

// untarFile unpacks a compressed tar archive of the release.
func untarFile(name, dir string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return gunzip(f, func(r io.Reader) error { return untar(r, dir) })
}
