package otherfile

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsText reports whether the first bytes are printable text in UTF-8.
func IsText(data []byte) bool {
	const most = 512
	for i := 0; i < min(len(data), most); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError || !unicode.IsGraphic(r) && !unicode.IsSpace(r) {
			return false
		}
		i += n
	}
	return true
}

// isBinary reports whether a file is no text: the header of a table can begin as binary files do.
func isBinary(head string) bool { return !IsText([]byte(head)) }

// isXML reports whether a text is XML, and not a table whose first name begins with <.
func isXML(head string) bool {
	return strings.HasPrefix(head, "<") && (strings.HasPrefix(head, "<?xml") ||
		strings.HasPrefix(head, "<!") || strings.Contains(head, "</") ||
		strings.Contains(head, "/>"))
}

// isPage reports whether a text is a web page.
func isPage(head string) bool {
	if !strings.HasPrefix(strings.TrimSpace(head), "<") {
		return false
	}
	lower := strings.ToLower(head)
	return strings.Contains(lower, "<!doctype html") || strings.Contains(lower, "<html")
}

// isONNXText reports whether a text that begins with < has the head that onnx.printer writes.
func isONNXText(head string) bool {
	inside, _, _ := strings.Cut(head, ">")
	return strings.Contains(inside, "ir_version")
}

// isProtoText reports whether a text is a ModelProto as protobuf prints it.
func isProtoText(head string) bool {
	return strings.HasPrefix(strings.TrimSpace(head), "ir_version:") &&
		(strings.Contains(head, "graph {") || strings.Contains(head, "opset_import {"))
}

// isONNXJSON reports whether a text is a ModelProto as protobuf writes it in JSON.
func isONNXJSON(head string) bool {
	return strings.Contains(head, `"irVersion"`) || strings.Contains(head, `"ir_version"`)
}

// isOldPickle reports whether a text is a pickle of protocol 0: it names a class of a module, or a
// list or dict begins with its first entry on a line.
func isOldPickle(head string) bool {
	module, rest, ok := strings.Cut(strings.TrimPrefix(head, "c"), "\n")
	name, _, named := strings.Cut(rest, "\n")
	if strings.HasPrefix(head, "c") {
		return ok && named && isName(module) && isName(name)
	}
	return strings.HasPrefix(head, "(lp0\n") || strings.HasPrefix(head, "(dp0\n")
}

// isName reports whether a word can be a name of Python, with dots.
func isName(word string) bool {
	return word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz"+
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == ""
}

// IsARFF reports whether the first line that is no comment names a relation.
func IsARFF(head string) bool {
	words := strings.Fields(firstLine(head, "%"))
	return len(words) > 1 && strings.EqualFold(words[0], "@relation")
}

// IsLibSVM reports whether the first line has a label and then numbered features, or begins so.
func IsLibSVM(head string) bool {
	line, _, _ := strings.Cut(firstLine(head, "#"), "#")
	words := strings.Fields(line)
	if len(words) < 2 {
		return false
	}
	if _, err := strconv.ParseFloat(words[0], 64); err != nil {
		return false
	}
	for _, word := range words[1:] {
		number, value, ok := strings.Cut(word, ":")
		_, err1 := strconv.Atoi(number)
		_, err2 := strconv.ParseFloat(value, 64)
		if !ok || err1 != nil && number != "qid" || err2 != nil {
			return false
		}
	}
	return true
}

// firstLine returns the first line that is neither empty nor a comment, without the last word of a
// line that head does not hold to its end.
func firstLine(head, comment string) string {
	for line := range strings.Lines(head) {
		line, whole := strings.CutSuffix(line, "\n")
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, comment) {
			continue
		}
		if !whole && len(head) >= headBytes {
			line = line[:max(0, strings.LastIndexAny(line, " \t"))]
		}
		return line
	}
	return ""
}
