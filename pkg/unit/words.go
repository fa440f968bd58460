package unit

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// List joins names as in a sentence: "A, B and C".
func List(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Capital begins a sentence.
func Capital(text string) string {
	_, first := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:first]) + text[first:]
}

// FormatCount writes a whole number with a comma at each thousand: "6,000".
func FormatCount(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// Plural is a number of things: "1 file", "3 files".
func Plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return FormatCount(n) + " " + thing
}
