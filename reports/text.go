package reports

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// unprintable reports whether a terminal would act on the character, or show
// nothing, instead of showing it: controls, direction marks, line separators,
// private and unassigned characters.
func unprintable(r rune) bool { return !unicode.IsGraphic(r) }

// clean makes text from files safe to print: what a terminal would act on is
// written as Go writes it in a string (\n, \x1b, \u202e, \xff).
func clean(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return unprintable(r) || r == utf8.RuneError }) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case !unprintable(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += n
	}
	return b.String()
}

// cells is the number of terminal columns that s takes, whatever the locale says.
func cells(s string) int { return twwidth.WidthWithOptions(s, twwidth.Options{}) }

// wrap breaks text at spaces into lines of at most width columns; a word that
// is longer is broken with breakWord. A width of 0 does not break at all.
func wrap(text string, width int) []string {
	if width <= 0 || cells(text) <= width {
		return []string{text}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && cells(line)+1+cells(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		parts := breakWord(word, width)
		lines = append(lines, parts[:len(parts)-1]...)
		line = parts[len(parts)-1]
	}
	return append(lines, line)
}

// breakWord cuts a word into parts of at most width columns, after one of /-._
// where the second half of a part has one, as names are read.
func breakWord(word string, width int) []string {
	var parts []string
	for cells(word) > width {
		end, used, good := 0, 0, 0
		for i, r := range word {
			used += cells(string(r))
			if used > width {
				break
			}
			end = i + utf8.RuneLen(r)
			if strings.ContainsRune("/-._", r) && used*2 > width {
				good = end
			}
		}
		if end == 0 { // one character is wider than the line
			break
		}
		if good > 0 {
			end = good
		}
		parts = append(parts, word[:end])
		word = word[end:]
	}
	return append(parts, word)
}
