// Release writes everything that a release publishes, from a clone of the current commit, into a
// folder: commands, npm package, wheels, site, container images, licences, bills of materials and
// checksums. Equal commits, tags and toolchains give equal bytes, which -twice proves.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal("release: ", err)
	}
}

func run(ctx context.Context) error {
	root := flag.String("root", "../../..", "the repository")
	out := flag.String("out", "../../../build/release",
		"the `folder` to write; what it holds is removed")
	names := flag.String("platforms", strings.Join(allPlatforms(), ","),
		"platforms of commands, wheels and images, separated by commas")
	twice := flag.Bool("twice", false, "build again in another clone and environment, and compare")
	flag.Parse()
	platforms, err := parsePlatforms(*names)
	if err != nil {
		return err
	}
	// Programs run in folders of the clone.
	for _, path := range []*string{root, out} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	if err := useToolchain(ctx, *root); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "bagscope-release-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	clone := filepath.Join(work, "source")
	first, err := build(ctx, *root, clone, *out, platforms)
	if err != nil {
		return err
	}
	fmt.Println("== vulnerabilities")
	r := &release{source: source{root: clone}, platforms: platforms}
	if err := r.vulnerabilities(ctx); err != nil || !*twice {
		return err
	}
	// The clone of the clone is of the same commit, even if the repository has another one by now.
	again := filepath.Join(work, "again")
	if err := moveElsewhere(filepath.Join(work, "temporary")); err != nil {
		return err
	}
	second, err := build(ctx, clone, filepath.Join(work, "another", "folder"), again, platforms)
	if err != nil {
		return err
	}
	if different := compareSums(first, second); len(different) > 0 {
		return fmt.Errorf("two builds differ in %s", strings.Join(different, ", "))
	}
	fmt.Printf("two builds of %d files are equal\n", len(first))
	return nil
}

// build clones the commit into a folder, builds everything there and writes it to out. It returns
// the digests of the files by name.
func build(ctx context.Context, root, clone, out string, platforms []platform) (map[string]string,
	error) {
	if err := emptyFolder(out); err != nil {
		return nil, err
	}
	s, err := cloneSource(ctx, root, clone)
	if err != nil {
		return nil, err
	}
	fmt.Printf("bagscope %s, commit %s\n", s.version, s.commit)
	r := &release{source: s, out: out, platforms: platforms}
	for _, step := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"commands", r.commands},
		{"building npm package, site and wheels", r.build},
		{"npm package and site", r.web},
		{"wheels", r.wheels},
		{"images", r.images},
	} {
		fmt.Printf("== %s\n", step.name)
		if err := step.run(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return writeSums(out)
}

// emptyFolder creates a folder, or removes the files of an earlier release from it.
func emptyFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.IsDir() || !strings.HasPrefix(f.Name(), "bagscope") && f.Name() != sumsFile {
			return fmt.Errorf("%s holds %s, which is not part of a release; choose another folder",
				dir, f.Name())
		}
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil {
			return err
		}
	}
	return nil
}
