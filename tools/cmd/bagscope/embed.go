package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/methods"
	"github.com/bagscope/bagscope/internal/msg"
	"github.com/bagscope/bagscope/tools/cmd/internal/cli"
	"github.com/bagscope/bagscope/tools/service/oip"
)

// embedCommand holds the flags of embed.
type embedCommand struct {
	model   cli.ModelFlags
	bags    cli.BagFlags
	methods cli.MethodFlags
	index   int
	look    lookFlags
	out     string // path of a file or a folder, "" for standard output
	base    string // address at which relative addresses begin, "" for the page's own
	width   int    // width of the picture, in pixels of the page
	// Addresses of the files for the page, "" for a picture without an element.
	modelURL, bagURL, cardURL string
}

// newEmbed returns the command that writes an explanation as a part of a page.
func newEmbed() *cobra.Command {
	e := &embedCommand{}
	c := cli.Command("embed", "Write the explanation of a bag as HTML for a page: a picture with "+
		"its words, which the element <bag-explainer> replaces where there is JavaScript", e.run)
	e.model.Register(c)
	e.bags.Register(c, "bag", cli.BagUsage)
	e.methods.Register(c, methods.Default)
	cli.IndexFlag(c, &e.index)
	e.look.register(c)
	s := c.Flags()
	cli.FileFlag(c, &e.out, "out", "file for the HTML, with its pictures inside; or a folder, for "+
		embedFile+" with its pictures as files (default standard output)", ".html", ".htm", "/")
	s.StringVar(&e.base, "base", "", "address of the folder, as the finished page sees it, at "+
		"which the addresses of pictures, --model-url, --bag-url and --card-url begin, unless "+
		"they are absolute (default: the page's own)")
	s.IntVar(&e.width, "width", 600, "largest width of the picture in the page, in pixels; "+
		"narrower screens scale it, with its text")
	s.StringVar(&e.modelURL, "model-url", "",
		"address of the model for the page (default: the picture alone, without an element)")
	s.StringVar(&e.bagURL, "bag-url", "", "address of the bag for the page")
	s.StringVar(&e.cardURL, "card-url", "",
		"address of the model card for the page, if the card is a file of its own")
	return c
}

// run explains the bag and writes the HTML. It validates all flags before it reads a file.
func (e *embedCommand) run(c *cobra.Command) error {
	plan, err := e.methods.Settings(c).Plan()
	if err != nil {
		return err
	}
	if err := cli.Require(c, "model", "bag"); err != nil {
		return err
	}
	if len(plan.Methods) > 1 {
		return cli.Usagef("embed draws one method, but %d are selected; select one with --method",
			len(plan.Methods))
	}
	if err := e.look.check(c.Context(), e.model.Path, plan.Methods[0].Name()); err != nil {
		return err
	}
	if err := e.checkAddresses(c); err != nil {
		return err
	}
	e.model.Workers = e.methods.Workers
	if err := e.methods.Bound(c); err != nil {
		return err
	}
	in, err := cli.OpenBag(c, &e.model, &e.bags, e.index)
	if err != nil {
		return err
	}
	x, err := cli.Explain(c, plan, in)
	if err != nil {
		return err
	}
	f := fragment{explained: explained{x, e.look}}
	if e.modelURL != "" {
		f.attributes = e.attributes(c, f.explained)
	}
	// An error of drawing leaves no empty file.
	shown, err := f.pictures(e.width)
	if err != nil {
		return err
	}
	return e.write(c, f, shown)
}

// The files in the folder of --out.
const (
	embedFile    = "explained.html"
	lightPicture = "explained.png"
	darkPicture  = "explained-dark.png"
)

// folder returns whether --out names a folder, which need not exist if the name ends in a slash.
func (e *embedCommand) folder() bool {
	if e.out == "" || os.IsPathSeparator(e.out[len(e.out)-1]) {
		return e.out != ""
	}
	about, err := os.Stat(e.out)
	return err == nil && about.IsDir()
}

// write writes the HTML, and its pictures if they are files of their own.
func (e *embedCommand) write(c *cobra.Command, f fragment, shown embedPictures) error {
	text := func(html string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, html)
			return err
		}
	}
	if !e.folder() {
		html := text(f.html(shown.inside(f.words())))
		if e.out == "" {
			return html(c.OutOrStdout())
		}
		return cli.WriteFile(e.out, html)
	}
	if err := os.MkdirAll(e.out, 0o755); err != nil {
		return msg.Errorf("the folder %s cannot be made: %w", e.out, err)
	}
	base := e.base
	if base != "" && !strings.HasSuffix(base, "/") {
		base += "/"
	}
	for _, file := range []struct{ name, data string }{
		{lightPicture, string(shown.light)}, {darkPicture, string(shown.dark)},
		{embedFile, f.html(shown.beside(base, f.words()))},
	} {
		if err := cli.WriteFile(filepath.Join(e.out, file.name), text(file.data)); err != nil {
			return err
		}
	}
	return nil
}

// An attribute of an element.
type attribute struct{ name, value string }

// checkAddresses returns an error if the element could not show what the picture shows.
func (e *embedCommand) checkAddresses(c *cobra.Command) error {
	if (e.modelURL == "") != (e.bagURL == "") || e.cardURL != "" && e.modelURL == "" {
		return cli.Usagef("--model-url and --bag-url belong together; without both the HTML is a " +
			"picture")
	}
	if e.modelURL == "" {
		if e.base != "" && !e.folder() {
			return cli.Usagef("--base belongs to the files of --out FOLDER, or to --model-url " +
				"and --bag-url; name one of them")
		}
		return nil
	}
	if err := e.model.One(); err != nil {
		return err
	}
	if oip.Is(e.model.Path) {
		return cli.Usagef("--model %s runs on a server, which a page cannot load; omit "+
			"--model-url and --bag-url", e.model.Path)
	}
	if flag := e.unknownToElement(c); flag != "" {
		return cli.Usagef("--%s has no attribute of <bag-explainer>, so that the page would show "+
			"another explanation; omit --model-url and --bag-url", flag)
	}
	card, err := e.model.ReadCard(c.Context())
	if err != nil {
		return err
	}
	if card != nil && e.cardURL == "" {
		return cli.Usagef("the model has a card in a file of its own; name its address with " +
			"--card-url")
	}
	// The card, inside the model or beside it, may name an encoder, and a model may contain one.
	e.bags.NoSlides = cli.Usagef("%s is a whole slide, which <bag-explainer> cannot encode; "+
		"write its features with \"bagscope tiles\" and use that file with --bag and --bag-url, "+
		"or omit --model-url and --bag-url", filepath.Base(e.bags.Path))
	return nil
}

// elementAttributes returns the flags that are attributes of <bag-explainer> with the same name.
func elementAttributes() []string {
	names := []string{"base", "index", "method", "settings", "seed", "output", "colours"}
	for _, o := range slices.Concat(bagio.ReadOptions(), methods.AllOptions()) {
		names = append(names, o.Name)
	}
	return names
}

// withoutEffect are the flags that do not change an explanation, and those that attributes has
// under other names.
var withoutEffect = []string{"model", "model-url", "card", "card-url", "bag", "bag-url", "class",
	"out", "width", "plain", "max-work", "device", "budget", "memory", "workers"}

// unknownToElement returns a flag that was given and changes the explanation, but is not an
// attribute, or "".
func (e *embedCommand) unknownToElement(c *cobra.Command) (flag string) {
	known := append(elementAttributes(), withoutEffect...)
	c.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(known, f.Name) {
			flag = f.Name
		}
	})
	return flag
}

// attributes returns the attributes with which <bag-explainer> computes the same explanation.
func (e *embedCommand) attributes(c *cobra.Command, x explained) []attribute {
	out := []attribute{{"model", e.modelURL}, {"bag", e.bagURL}}
	if e.cardURL != "" {
		out = append(out, attribute{"card", e.cardURL})
	}
	if c.Flags().Changed("class") {
		var classes []string
		for _, explanation := range x.Report.Explanations {
			classes = append(classes, strconv.Itoa(explanation.Class))
		}
		out = append(out, attribute{"classes", strings.Join(classes, ",")})
	}
	names := elementAttributes()
	c.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(names, f.Name) {
			return
		}
		value := strings.Trim(f.Value.String(), "[]") // the list of one method
		if f.Value.Type() == "bool" {
			value = map[string]string{"true": "", "false": "off"}[value]
		}
		out = append(out, attribute{f.Name, value})
	})
	return append(out, attribute{name: "interactive"})
}

// A fragment is the HTML of an explanation.
type fragment struct {
	explained
	attributes []attribute // attributes of the element; none if there is no element
}

// html returns the HTML around a picture. It is XML, too. Markdown keeps it as it stands: it begins
// with the name of a block, and has no empty line.
func (f fragment) html(picture string) string {
	if f.attributes == nil {
		return "<figure>\n" + picture + "<figcaption>" + escaped(embedCaption) +
			"</figcaption>\n</figure>\n"
	}
	var b strings.Builder
	b.WriteString("<div>\n<bag-explainer")
	for _, a := range f.attributes {
		b.WriteString(" " + a.name + `="` + escaped(a.value) + `"`)
	}
	b.WriteString(">\n" + picture + `<span slot="caption">` + escaped(embedCaption) +
		"</span>\n</bag-explainer>\n</div>\n")
	return b.String()
}
