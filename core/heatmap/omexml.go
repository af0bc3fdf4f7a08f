package heatmap

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/bagscope/bagscope/core"
)

// The elements of OME-XML (schema 2016-06) that a map has.
type (
	omeDocument struct {
		XMLName xml.Name   `xml:"http://www.openmicroscopy.org/Schemas/OME/2016-06 OME"`
		Creator string     `xml:"Creator,attr"`
		Images  []omeImage `xml:"Image"`
	}
	omeImage struct {
		ID          string    `xml:"ID,attr"`
		Name        string    `xml:"Name,attr"`
		Description string    `xml:"Description"`
		Pixels      omePixels `xml:"Pixels"`
	}
	omePixels struct {
		ID             string     `xml:"ID,attr"`
		DimensionOrder string     `xml:"DimensionOrder,attr"`
		Type           string     `xml:"Type,attr"`
		Interleaved    bool       `xml:"Interleaved,attr"`
		SizeX          int        `xml:"SizeX,attr"`
		SizeY          int        `xml:"SizeY,attr"`
		SizeZ          int        `xml:"SizeZ,attr"`
		SizeC          int        `xml:"SizeC,attr"`
		SizeT          int        `xml:"SizeT,attr"`
		X              string     `xml:"PhysicalSizeX,attr,omitempty"`
		XUnit          string     `xml:"PhysicalSizeXUnit,attr,omitempty"`
		Y              string     `xml:"PhysicalSizeY,attr,omitempty"`
		YUnit          string     `xml:"PhysicalSizeYUnit,attr,omitempty"`
		Channel        omeChannel `xml:"Channel"`
		Data           omeData    `xml:"TiffData"`
	}
	omeChannel struct {
		ID      string `xml:"ID,attr"`
		Name    string `xml:"Name,attr"`
		Samples int    `xml:"SamplesPerPixel,attr"`
	}
	omeData struct {
		IFD    int `xml:"IFD,attr"`
		Planes int `xml:"PlaneCount,attr"`
	}
)

// omeXML returns the description of a file: for each class its name, its method, the meaning of its
// colours, and the microns a pixel covers.
func (m *Map) omeXML() (string, error) {
	doc := omeDocument{Creator: "bagscope"}
	for n, c := range m.Classes {
		name := c.Name + " (" + c.Method + ")"
		i := omeImage{ID: fmt.Sprintf("Image:%d", n), Name: name,
			Description: fmt.Sprintf("%s: scores of the patches for %s by %s; %s; a pixel covers "+
				"%d x %d pixels of the slide's full resolution; origin: %s", m.Name, c.Name,
				c.Method, strings.Join(c.Legend, "; "), m.Scale, m.Scale, core.Canvas)}
		i.Pixels = omePixels{ID: fmt.Sprintf("Pixels:%d", n), DimensionOrder: "XYCZT",
			Type: "uint8", Interleaved: true, SizeX: m.Width, SizeY: m.Height, SizeZ: 1,
			SizeC: pixelBytes, SizeT: 1,
			Channel: omeChannel{fmt.Sprintf("Channel:%d:0", n), name, pixelBytes},
			Data:    omeData{n, 1}}
		if m.Microns > 0 {
			size := fmt.Sprintf("%.9g", m.Microns)
			i.Pixels.X, i.Pixels.XUnit, i.Pixels.Y, i.Pixels.YUnit = size, "µm", size, "µm"
		}
		doc.Images = append(doc.Images, i)
	}
	text, err := xml.Marshal(doc)
	return xml.Header + string(text), err
}
