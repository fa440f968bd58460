package strictyaml

import (
	"bytes"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// MaxBytes is the largest file Parse takes. A caller that reads files need read no more than one byte beyond it.
const MaxBytes = 1 << 20

// Limits that keep the parser fast and its recursion shallow. Under them the worst input found takes 0.4 s.
const (
	maxTokens = 50_000
	maxDepth  = 32
)

// Parse reads one YAML document. file is only a name for errors.
func Parse(file string, data []byte) (*Doc, error) {
	start := Pos{File: file, Line: 1, Column: 1}
	if len(data) > MaxBytes {
		return nil, start.Errorf("the file is over 1 MiB; try the right file, or fewer values")
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if err := checkText(start, data); err != nil {
		return nil, err
	}
	body, err := parse(start, string(data))
	if err != nil {
		return nil, err
	}
	if body == nil {
		return nil, start.Errorf("the file is empty; write its keys, one key: value to a line")
	}
	doc := &Doc{}
	doc.root = Node{doc: doc, ast: body, pos: posOf(file, body), label: "the file"}
	return doc, nil
}

// checkText refuses what is not text: bytes that are not UTF-8, and control characters.
func checkText(at Pos, data []byte) *Error {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return at.Errorf("byte 0x%02x is not UTF-8 text; save the file as UTF-8", data[i])
		case r == '\n':
			at.Line++
			at.Column = 0
		case r == '\t' || r == '\r':
		case unicode.IsControl(r) || r == '\ufeff':
			return at.Errorf("control character %U; delete it", r)
		}
		at.Column++
		i += size
	}
	return nil
}

func parse(start Pos, text string) (body ast.Node, err error) {
	// The scanner and parser are a third party's: whatever they trip over is a broken file, not a crash.
	defer func() {
		if r := recover(); r != nil {
			body, err = nil, start.Errorf("not YAML that can be read; check its brackets, quotes and indentation")
		}
	}()
	tokens := lexer.Tokenize(text)
	if err := checkTokens(start.File, tokens); err != nil {
		return nil, err
	}
	parsed, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey()) // Mapping refuses duplicates, in its own words
	if err != nil {
		if at, ok := errors.AsType[yaml.Error](err); ok {
			return nil, syntaxError(tokenPos(start.File, at.GetToken()), at.GetMessage())
		}
		return nil, syntaxError(start, err.Error())
	}
	for _, doc := range parsed.Docs {
		if doc.Body != nil {
			return doc.Body, nil
		}
	}
	return nil, nil
}

// checkTokens refuses, before any tree is built, the syntax that files here do not need, and nesting so
// deep that the parser would exhaust its stack.
func checkTokens(file string, tokens token.Tokens) *Error {
	var (
		flow    int   // brackets and braces open
		indents []int // columns of the block lists and mappings that are open
		content bool
	)
	for i, t := range tokens {
		at := tokenPos(file, t)
		if i >= maxTokens {
			return at.Errorf("more than %d values and punctuation marks; shorten the lists", maxTokens)
		}
		if err := checkToken(at, t, content); err != nil {
			return err
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType, token.MappingValueType:
			column := at.Column
			if t.Type == token.MappingValueType && i > 0 {
				column = tokenPos(file, tokens[i-1]).Column // the key's
			}
			if flow == 0 {
				for len(indents) > 0 && indents[len(indents)-1] >= column {
					indents = indents[:len(indents)-1]
				}
				indents = append(indents, column)
			}
		}
		if flow+len(indents) > maxDepth {
			return at.Errorf("nested more than %d deep; check the brackets and indentation", maxDepth)
		}
		if t.Type != token.DocumentHeaderType && t.Type != token.CommentType {
			content = true
		}
	}
	return nil
}

// checkToken refuses a single token. content says that some came before it.
func checkToken(at Pos, t *token.Token, content bool) *Error {
	switch t.Type {
	case token.InvalidType:
		return syntaxError(at, t.Error)
	case token.AnchorType, token.AliasType:
		return at.Errorf("anchors and aliases (%s) are not supported; write the value out, or put it in quotes", t.Value)
	case token.TagType:
		return at.Errorf("tags (%s) are not supported; delete it, or put the value in quotes", Quote(t.Value))
	case token.MergeKeyType:
		return at.Errorf("merge keys (<<) are not supported; write the keys out")
	case token.MappingKeyType:
		return at.Errorf("keys marked by ? are not supported; write key: value")
	case token.DirectiveType:
		return at.Errorf("%% starts a directive, which is not supported; delete the line, or put the value in quotes")
	case token.DocumentHeaderType:
		if content {
			return at.Errorf("a second document starts here; keep one document per file")
		}
	}
	return nil
}

// syntaxError puts the parser's complaint on one line and says what to try.
func syntaxError(at Pos, message string) *Error {
	message = strings.Join(strings.Fields(strings.ToValidUTF8(message, "?")), " ")
	switch {
	case strings.Contains(message, "that cannot start any token"):
		return at.Errorf("a tab indents this line; indent with spaces")
	case strings.Contains(message, "reserved character"):
		return at.Errorf("%s in YAML; put the value in quotes", message)
	case strings.Contains(message, "mapping value is not allowed"):
		return at.Errorf("a key: value is not allowed here; check the indentation, or put a text with a colon in quotes")
	case strings.Contains(message, "escape") || strings.Contains(message, "surrogate"):
		return at.Errorf(`in double quotes \ starts an escape sequence, and this is not one; ` +
			`put the text in single quotes, such as 'D:\data'`)
	case strings.Contains(message, "end character of double-quoted"):
		return at.Errorf(`the quote opened here is never closed; close it, or use single quotes if there is a \ in it`)
	case strings.Contains(message, "could not find end character"):
		return at.Errorf("the quote opened here is never closed; close it")
	}
	return at.Errorf("not valid YAML (%s); check the indentation, brackets and quotes here", printable(message))
}

func posOf(file string, n ast.Node) Pos {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return tokenPos(file, m.Values[0].Key.GetToken()) // a block mapping's own token is its first colon
	}
	return tokenPos(file, n.GetToken())
}

// tokenPos is where a token stands, within the file even if the scanner lost count.
func tokenPos(file string, t *token.Token) Pos {
	if t == nil || t.Position == nil {
		return Pos{File: file, Line: 1, Column: 1}
	}
	return Pos{File: file, Line: max(t.Position.Line, 1), Column: max(t.Position.Column, 1)}
}
