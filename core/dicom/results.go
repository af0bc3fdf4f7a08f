package dicom

import "strings"

// results are the classes of files that hold statements about pictures of other files, by the
// beginnings of their UIDs (PS3.4, table B.5-1). The first one that fits counts.
var results = []struct{ class, what string }{
	{"1.2.840.10008.5.1.4.1.1.66.", "a segmentation (SEG), which marks parts of pictures"},
	{"1.2.840.10008.5.1.4.1.1.88.59", "a key object selection (KO), which lists pictures"},
	{"1.2.840.10008.5.1.4.1.1.88.", "a structured report (SR), which describes pictures"},
	{"1.2.840.10008.5.1.4.1.1.11.", "a presentation state (PR), which states how to draw pictures"},
	{"1.2.840.10008.5.1.4.1.1.481.3", "a set of radiotherapy structures (RTSTRUCT), which " +
		"outlines parts of pictures"},
}

// resultOf returns why a file of a class is no picture of a patient, or "".
func resultOf(class string) string {
	for _, r := range results {
		rest, ok := strings.CutPrefix(class, r.class)
		if ok && (rest == "" || strings.HasSuffix(r.class, ".")) {
			return "it is " + r.what + " in other files; open these, the folder of their series"
		}
	}
	return ""
}
