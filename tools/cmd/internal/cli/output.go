package cli

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/bagscope/bagscope/tools/service/jsontext"
)

// OutputFlags select the form in which a command writes its result.
type OutputFlags struct {
	asJSON bool
	csv    string // path of the CSV file, or ""
}

// Register adds the flag --json and, unless csvUsage is "", the flag --csv with this help.
func (f *OutputFlags) Register(c *cobra.Command, csvUsage string) {
	c.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	if csvUsage != "" {
		FileFlag(c, &f.csv, "csv", csvUsage, ".csv")
	}
}

// IsJSON reports whether the command prints JSON.
func (f *OutputFlags) IsJSON() bool { return f.asJSON }

// A Result holds the forms of a command's result. Only the requested forms are computed.
type Result struct {
	JSON any                    // a value that is printed as one line of JSON
	Text func(to *bytes.Buffer) // appends the text for people
	Rows func() [][]string      // returns the rows of the CSV file; nil without --csv
}

// Write prints the result as text or JSON to the command's standard output. With --csv it also
// writes the CSV file. The text is printed in one piece, so that an error cannot leave half of it.
func (f *OutputFlags) Write(c *cobra.Command, r Result) error {
	if f.csv != "" {
		if err := WriteCSV(f.csv, r.Rows()); err != nil {
			return err
		}
	}
	if f.asJSON {
		return jsontext.Write(c.OutOrStdout(), r.JSON)
	}
	var text bytes.Buffer
	r.Text(&text)
	_, err := text.WriteTo(c.OutOrStdout())
	return err
}
