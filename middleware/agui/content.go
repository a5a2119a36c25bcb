package agui

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Content is what a message says: text, or parts, or nothing. The zero value
// is absent; it is immutable.
type Content struct {
	kind  contentKind
	text  string
	parts []Part
}

type contentKind uint8

const (
	contentAbsent contentKind = iota
	contentText
	contentParts
)

// Text returns text content; "" is present and empty.
func Text(s string) Content { return Content{kind: contentText, text: s} }

// Parts returns content made of parts; no parts is present and empty.
func Parts(parts ...Part) Content {
	return Content{kind: contentParts, parts: append([]Part{}, parts...)}
}

// IsZero reports whether the content is absent.
func (c Content) IsZero() bool { return c.kind == contentAbsent }

// IsParts reports whether the content is an array of parts.
func (c Content) IsParts() bool { return c.kind == contentParts }

// Text returns the text, or the text parts one after the other.
func (c Content) Text() string {
	if c.kind != contentParts {
		return c.text
	}
	var b strings.Builder
	for _, p := range c.parts {
		if p.Type == PartText {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// Parts returns a copy of the parts; text content is one text part, absent
// content none.
func (c Content) Parts() []Part {
	switch c.kind {
	case contentText:
		return []Part{{Type: PartText, Text: c.text}}
	case contentParts:
		return append([]Part(nil), c.parts...)
	}
	return nil
}

// Equal reports whether two contents say the same in the same form.
func (c Content) Equal(d Content) bool {
	return c.kind == d.kind && c.text == d.text && slices.EqualFunc(c.parts, d.parts, func(a, b Part) bool {
		return a.Type == b.Type && a.ID == b.ID && a.Text == b.Text && a.Source == b.Source &&
			bytes.Equal(a.Metadata, b.Metadata)
	})
}

// PartType is the type of a [Part].
type PartType string

// The part types of AG-UI 1.0.
const (
	PartText     PartType = "text"
	PartImage    PartType = "image"
	PartAudio    PartType = "audio"
	PartVideo    PartType = "video"
	PartDocument PartType = "document"
)

// Part is one part of a multimodal message: Text for type text, Source for
// the others.
type Part struct {
	Type   PartType
	ID     string
	Text   string
	Source Source
	// Metadata is any JSON but null; nil is absent.
	Metadata json.RawMessage
}

// SourceType is the type of a [Source].
type SourceType string

// The source types of AG-UI 1.0.
const (
	SourceData SourceType = "data"
	SourceURL  SourceType = "url"
	SourceFile SourceType = "file" // 1.0 clients only
)

// Source is where a part's bytes are: in Value as base64 (data), at the URL in
// Value (url), or at the provider under the id in Value (file).
type Source struct {
	Type  SourceType
	Value string
	// MIMEType is required for data.
	MIMEType string
	// Provider belongs to file.
	Provider string
}
