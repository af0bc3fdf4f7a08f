package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/bagscope/bagscope/tools/dev/linked"
	"github.com/bagscope/bagscope/tools/dev/sizes"
)

// A release writes the files of a source for some platforms.
type release struct {
	source
	out       string // an absolute path
	platforms []platform
}

// A program is a command of a release.
type program struct {
	name    string
	module  string // folder of its module
	pkg     string
	inImage string // its path in a container image
}

var (
	everyday = program{"bagscope", ".", "./tools/cmd/bagscope", "usr/local/bin/bagscope"}
	train    = program{"bagscope-train", ".", "./tools/cmd/bagscope-train", ""}
	cohort   = program{"bagscope-cohort", "tools/cohort", "./bagscope-cohort",
		"usr/local/bin/bagscope-cohort"}
	// boot starts workers of Apache Beam: it fetches the program of a pipeline and runs it.
	boot = program{"beam-boot", "tools/cohort", "github.com/apache/beam/sdks/v2/go/container",
		"opt/apache/beam/boot"}
)

// programs returns the programs that are compiled for a platform. Only containers need boot.
func (p platform) programs() []program {
	if p.os == "linux" {
		return []program{everyday, train, cohort, boot}
	}
	return []program{everyday, train, cohort}
}

// program returns the path of a program's file. wheels.py reads it there, too.
func (r *release) program(p platform, one program) string {
	return r.path(filepath.Join("build", "programs", p.name(), p.exe(one.name)))
}

// linked returns the modules that programs link.
func (r *release) linked(ctx context.Context, p platform, programs ...program) ([]linked.Module,
	error) {
	var all []linked.Module
	for _, one := range programs {
		modules, err := linked.Modules(ctx, linked.Programs{Dir: r.path(one.module), OS: p.os,
			Arch: p.arch, Packages: []string{one.pkg}})
		if err != nil {
			return nil, err
		}
		all = linked.Union(all, modules)
	}
	return all, nil
}

// commands compiles the commands of all platforms and writes an archive for the everyday ones and
// one for cohorts, which is large.
func (r *release) commands(ctx context.Context) error {
	for _, p := range r.platforms {
		for _, one := range p.programs() {
			if err := r.compile(ctx, p, one); err != nil {
				return err
			}
		}
		info, err := os.Stat(r.program(p, everyday))
		if err != nil {
			return err
		}
		// The recorded size is that of Linux on amd64.
		if err := sizes.Check("bagscope", info.Size()); err != nil {
			return fmt.Errorf("for %s: %w", p, err)
		}
		if err := r.archive(ctx, p, "bagscope", everyday, train); err != nil {
			return err
		}
		if err := r.archive(ctx, p, "bagscope-cohort", cohort); err != nil {
			return err
		}
	}
	return nil
}

// compile builds a program without symbols and paths, and with its commit.
func (r *release) compile(ctx context.Context, p platform, one program) error {
	return r.run(ctx, one.module, []string{"GOOS=" + p.os, "GOARCH=" + p.arch, "CGO_ENABLED=0"},
		"go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", r.program(p, one),
		one.pkg)
}

// vulnerabilities fails if the modules, packages or compiled programs have known vulnerabilities.
func (r *release) vulnerabilities(ctx context.Context) error {
	var programs []string
	for _, p := range r.platforms {
		for _, one := range p.programs() {
			programs = append(programs, r.program(p, one))
		}
	}
	return r.run(ctx, ".", nil, "make", "vulnerabilities", "ARGS="+strings.Join(programs, " "))
}

// archive writes programs of a platform with their licences.
func (r *release) archive(ctx context.Context, p platform, name string, programs ...program) error {
	modules, err := r.linked(ctx, p, programs...)
	if err != nil {
		return err
	}
	folder := fmt.Sprintf("%s-%s-%s", name, r.version, p.name())
	files := []file{
		{name: folder + "/LICENSE", mode: 0o644, from: r.path("LICENSE")},
		{name: folder + "/LICENSES.txt", mode: 0o644, data: []byte(linked.Text(modules))},
		{name: folder + "/CHANGELOG.md", mode: 0o644, from: r.path("CHANGELOG.md")},
	}
	for _, one := range programs {
		files = append(files, file{name: folder + "/" + p.exe(one.name), mode: 0o755,
			from: r.program(p, one)})
	}
	m := materials{component: name, modules: modules}
	if p.os == "windows" {
		return r.write(folder+".zip", m, func(w io.Writer) error {
			return writeZip(w, files, r.date)
		})
	}
	return r.write(folder+".tar.gz", m, func(w io.Writer) error {
		return writeTarGz(w, files, r.date)
	})
}

// build builds the npm package, the site and the wheels in the clone. Wheels get the programs that
// are compiled already. One make builds what they share once.
func (r *release) build(ctx context.Context) error {
	args := []string{"--sdist", "--programs", r.path("build/programs")}
	for _, p := range r.platforms {
		args = append(args, "--platform", p.String())
	}
	// The build backend of wheels and the source distribution dates all files by the variable.
	env := []string{fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix())}
	return r.run(ctx, ".", env, "make", "stick", "wheels", "ARGS="+strings.Join(args, " "))
}

// web writes the npm package, the site, and its pages for a disk.
func (r *release) web(ctx context.Context) error {
	engine, err := r.engine(ctx, "gpu") // both programs
	if err != nil {
		return err
	}
	// npm packs files with their modes, which depend on the user's mask.
	if err := r.run(ctx, "wasm/npm", nil, "chmod", "-R", "a+rX", "."); err != nil {
		return err
	}
	if err := r.run(ctx, "wasm/npm", nil, "npm", "pack", "--ignore-scripts",
		"--pack-destination", r.out); err != nil {
		return err
	}
	npm := materials{component: "bagscope", modules: engine}
	if err := r.writeMaterials(fmt.Sprintf("bagscope-%s.tgz", r.version), npm); err != nil {
		return err
	}
	name := "bagscope-site-" + r.version
	files, err := folderFiles(name, r.path("www/dist"))
	if err != nil {
		return err
	}
	bundles, err := r.siteBundles()
	if err != nil {
		return err
	}
	site := materials{component: "bagscope-site", modules: engine, bundled: bundles}
	if err := r.write(name+".tar.gz", site, func(w io.Writer) error {
		return writeTarGz(w, files, r.date)
	}); err != nil {
		return err
	}
	name = "bagscope-stick-" + r.version
	if files, err = folderFiles(name, r.path("build/stick")); err != nil {
		return err
	}
	site.component = "bagscope-stick"
	return r.write(name+".zip", site, func(w io.Writer) error { return writeZip(w, files, r.date) })
}

// engine returns the modules of the program for browsers that is built with the tags.
func (r *release) engine(ctx context.Context, tags ...string) ([]linked.Module, error) {
	return linked.Modules(ctx, linked.Programs{Dir: r.root, OS: "js", Arch: "wasm",
		Tags: append(tags, "bagscope_simd"), Packages: []string{"./wasm"}})
}

// wheels writes the wheels and the source distribution of the Python package.
func (r *release) wheels(ctx context.Context) error {
	engine, err := r.engine(ctx)
	if err != nil {
		return err
	}
	built, err := os.ReadDir(r.path("build/wheels"))
	if err != nil {
		return err
	}
	for _, f := range built {
		m := materials{component: "bagscope", modules: engine}
		if strings.HasSuffix(f.Name(), ".whl") {
			p, err := wheelPlatform(f.Name())
			if err != nil {
				return err
			}
			commands, err := r.linked(ctx, p, everyday)
			if err != nil {
				return err
			}
			m.modules = linked.Union(commands, engine)
		}
		if err := r.write(f.Name(), m, func(w io.Writer) error {
			return copyFile(w, r.path("build/wheels/"+f.Name()))
		}); err != nil {
			return err
		}
	}
	return nil
}

// wheelPlatform returns the platform of a wheel by the tags in its name.
func wheelPlatform(name string) (platform, error) {
	var p platform
	for system, tag := range map[string]string{"linux": "linux_", "darwin": "macosx_",
		"windows": "win_"} {
		if strings.Contains(name, tag) {
			p.os = system
		}
	}
	for _, tag := range []struct{ part, arch string }{{"x86_64", "amd64"}, {"amd64", "amd64"},
		{"aarch64", "arm64"}, {"arm64", "arm64"}} {
		if strings.Contains(name, tag.part) {
			p.arch = tag.arch
		}
	}
	if p.os == "" || p.arch == "" {
		return p, fmt.Errorf("the wheel %s has an unknown platform", name)
	}
	return p, nil
}

// copyFile writes the bytes of a file.
func copyFile(w io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// write writes a file of the release, and its bill of materials beside it.
func (r *release) write(name string, m materials, write func(io.Writer) error) error {
	if err := create(filepath.Join(r.out, name), write); err != nil {
		return err
	}
	return r.writeMaterials(name, m)
}
