package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core/annotation"
	"github.com/bagscope/bagscope/core/geojson"
	"github.com/bagscope/bagscope/internal/msg"
)

// AnnotationFlags hold the path of a file of annotations and the classes that count.
type AnnotationFlags struct {
	Classes []string // nil for all
	path    string
	flag    string // name of the flag of path
}

// Register adds the flags to a command. flag is the name of the flag of the path, usage its help.
func (f *AnnotationFlags) Register(c *cobra.Command, flag, usage string) {
	f.flag = flag
	c.Flags().StringVar(&f.path, flag, "", usage)
	c.Flags().StringArrayVar(&f.Classes, "annotation-class", nil,
		"use only annotations of this class; repeat the flag for several classes")
}

// Folder returns the folder of annotations of several slides that the flag names, or "".
func (f *AnnotationFlags) Folder() string {
	if info, err := os.Stat(f.path); f.path != "" && err == nil && info.IsDir() {
		return f.path
	}
	return ""
}

// Read returns the annotations in the Memory of ctx, or nil if the flag was not given. A class
// without an annotation is an error of usage.
func (f *AnnotationFlags) Read(ctx context.Context) ([]geojson.Region, error) {
	if f.path == "" {
		if f.Classes != nil {
			return nil, Usagef("--annotation-class needs --%s", f.flag)
		}
		return nil, nil
	}
	data, err := ReadFile(ctx, f.path)
	if err != nil {
		return nil, err
	}
	regions, err := annotation.ReadIn(ctx, filepath.Base(f.path), data)
	if err != nil {
		return nil, err
	}
	held := classesOf(regions)
	for _, class := range f.Classes {
		if !slices.Contains(held, class) {
			return nil, Usagef("--annotation-class %q: the file has no annotation of this class; "+
				"it has %s", class, quotedList(held))
		}
	}
	return regions, nil
}

// LabelClasses returns the class of each label from 1: the flags' order or, without flags, the only
// class of the annotations. Several classes without flags are an error of usage, because labels
// depend on their order.
func (f *AnnotationFlags) LabelClasses(regions []geojson.Region) ([]string, error) {
	if f.Classes != nil {
		return f.Classes, nil
	}
	held := classesOf(regions)
	if len(held) > 1 {
		return nil, Usagef("--%s has several classes (%s); name those that count by "+
			"--annotation-class, in the order of the instance labels 1, 2 and so on", f.flag,
			quotedList(held))
	}
	return held, nil
}

// classesOf returns the classes of annotations in their order.
func classesOf(regions []geojson.Region) (classes []string) {
	for _, r := range regions {
		if !slices.Contains(classes, r.Class) {
			classes = append(classes, r.Class)
		}
	}
	return classes
}

// quotedList returns names for a message. The class of annotations without a classification is "".
func quotedList(names []string) string {
	const most = 12
	var quoted []string
	for _, name := range names[:min(len(names), most)] {
		quoted = append(quoted, msg.Quoted(name))
	}
	if len(names) > most {
		quoted = append(quoted, "others")
	}
	return strings.Join(quoted, ", ")
}
