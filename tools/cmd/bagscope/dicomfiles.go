package main

import (
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/dicom"
	"github.com/bagscope/bagscope/core/dicomout"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
)

// dicomFiles hold the paths of DICOM files about the pictures of a bag, and how they are written.
type dicomFiles struct {
	seg, sr     string // "" for none
	identifiers string // path of a file of the pictures, or ""
	options     dicomout.Options
}

// register adds the flags to a command.
func (f *dicomFiles) register(c *cobra.Command) {
	cli.FileFlag(c, &f.seg, "dicom-seg", "write a map over DICOM pictures of one method's "+
		"explanation to a DICOM segmentation, which refers to them", ".dcm")
	cli.FileFlag(c, &f.sr, "dicom-sr", "write the instances that stand out, such as key slices, "+
		"as many as the table has, to a DICOM structured report (TID 1500), which refers to the "+
		"pictures", ".dcm")
	c.Flags().StringVar(&f.identifiers, "identifiers", "", "copy the patient and the study from "+
		"this DICOM file of the same study into the files of --dicom-seg and --dicom-sr "+
		"(default: these attributes are empty)")
}

// check returns an error of usage for flags that have no effect.
func (f *dicomFiles) check() error {
	if f.identifiers != "" && f.seg == "" && f.sr == "" {
		return cli.Usagef("--identifiers needs --dicom-seg or --dicom-sr")
	}
	return nil
}

// open reads the identifiers, and returns an error if no file about a bag can be written. It
// precedes the work. top is the number of instances of a report.
func (f *dicomFiles) open(bag *core.Bag, top int) error {
	if f.seg == "" && f.sr == "" {
		return nil
	}
	f.options.Top, f.options.Software = top, cli.Version()
	if f.identifiers != "" {
		if err := f.readIdentifiers(); err != nil {
			return err
		}
	}
	return f.options.Check(bag)
}

// readIdentifiers reads the file of --identifiers.
func (f *dicomFiles) readIdentifiers() error {
	file, err := os.Open(f.identifiers)
	if err != nil {
		return msg.Errorf("%s cannot be read: %w", f.identifiers, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return msg.Errorf("%s cannot be read: %w", f.identifiers, err)
	}
	f.options.Identifiers, f.options.Study, err = dicom.Identifiers(
		filepath.Base(f.identifiers), file, info.Size(), dicom.Options{})
	return err
}

// write writes the files.
func (f *dicomFiles) write(x explained) error {
	o := f.options
	o.Colours, o.Time = x.look.colours, time.Now()
	for form, path := range map[string]string{"seg": f.seg, "sr": f.sr} {
		if path == "" {
			continue
		}
		err := cli.WriteFile(path, func(w io.Writer) error { return x.DICOM(w, form, o) })
		if err != nil {
			return err
		}
	}
	return nil
}
