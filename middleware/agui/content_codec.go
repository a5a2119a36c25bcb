package agui

import (
	"encoding/json"
	"strings"
)

// content writes text, or parts; absent content is "".
func (w *writer) content(name string, c Content) {
	if !c.IsParts() {
		w.string(name, c.text)
		return
	}
	w.name(name)
	w.enter(name)
	w.partList(c.parts)
	w.leave()
}

func (w *writer) partList(parts []Part) {
	w.open('[')
	for i := range parts {
		w.comma()
		w.element(i)
		w.part(&parts[i])
		w.leave()
	}
	w.close(']')
}

func (w *writer) part(p *Part) {
	w.open('{')
	w.string("type", string(p.Type))
	w.optional("id", p.ID)
	switch p.Type {
	case PartText:
		w.string("text", p.Text)
	case PartImage, PartAudio, PartVideo, PartDocument:
		w.name("source")
		w.enter("source")
		w.source(&p.Source)
		w.leave()
	default:
		w.fail("type", "is not a part type of the protocol: "+quoted(string(p.Type)))
	}
	w.optionalJSON("metadata", p.Metadata)
	w.close('}')
}

func (w *writer) source(s *Source) {
	w.open('{')
	w.string("type", string(s.Type))
	w.string("value", s.Value)
	switch s.Type {
	case SourceData:
		w.string("mimeType", s.MIMEType)
	case SourceURL:
		w.optional("mimeType", s.MIMEType)
	case SourceFile:
		w.optional("provider", s.Provider)
		w.optional("mimeType", s.MIMEType)
	default:
		w.fail("type", "is not a source type of the protocol: "+quoted(string(s.Type)))
	}
	w.close('}')
}

// content reads text or parts. With repair, the client repairs what older
// servers write into parts; it does so in messages only.
func (r *reader) content(object uint32, repair bool) Content {
	if i := r.required(object, "content"); i != 0 {
		return r.contentOf(i, repair)
	}
	return Content{}
}

func (r *reader) contentOf(i uint32, repair bool) Content {
	switch r.kind(i) {
	case '"':
		return Text(r.doc.text(i))
	case '[':
		return r.parts(i, repair)
	}
	r.wrongKind(i, "a string or an array of parts")
	return Content{}
}

func (r *reader) parts(array uint32, repair bool) Content {
	c := Content{kind: contentParts, parts: make([]Part, 0, r.objects(array))}
	for e := range r.elements(array) {
		if !r.object(e) {
			return c
		}
		if p, ok := r.part(e, repair); ok {
			c.parts = append(c.parts, p)
		}
	}
	return c
}

// part reads one part. It is not ok when its type or source is unknown and it
// is to be dropped.
func (r *reader) part(i uint32, repair bool) (p Part, ok bool) {
	p.Type = PartType(r.choice(i, "type"))
	switch p.Type {
	case PartText:
		p.Text = r.string(i, "text")
		p.Metadata = r.optionalJSON(i, "metadata")
	case PartImage, PartAudio, PartVideo, PartDocument:
		s := r.required(i, "source")
		if s == 0 || !r.object(s) {
			return p, false
		}
		if p.Source, ok = r.source(s); !ok {
			return p, false
		}
		if repair {
			p.Metadata = r.repairedJSON(i, "metadata")
		} else {
			p.Metadata = r.optionalJSON(i, "metadata")
		}
	case "binary":
		if r.client && repair || r.legacy {
			return r.binaryPart(i)
		}
		fallthrough
	default:
		if !r.client {
			r.unchosen(i, "type", "text, image, audio, video or document")
		}
		return p, false
	}
	p.ID = r.optional(i, "id")
	return p, true
}

func (r *reader) source(i uint32) (s Source, ok bool) {
	s.Type = SourceType(r.choice(i, "type"))
	switch s.Type {
	case SourceData:
		s.MIMEType = r.string(i, "mimeType")
	case SourceURL:
		s.MIMEType = r.optional(i, "mimeType")
	case SourceFile:
		s.MIMEType = r.optional(i, "mimeType")
		s.Provider = r.optional(i, "provider")
	default:
		if !r.client {
			r.unchosen(i, "type", "data, url or file")
		}
		return s, false
	}
	s.Value = r.string(i, "value")
	r.spelling(i, "mimeType")
	return s, true
}

// binaryPart translates the one part type that 1.0 removed, as the reference
// client does: the MIME type says which part it becomes, data goes before url.
// What has neither can be read by nobody.
func (r *reader) binaryPart(i uint32) (p Part, ok bool) {
	mime := r.string(i, "mimeType")
	r.spelling(i, "mimeType")
	switch {
	case strings.HasPrefix(mime, "image/"):
		p.Type = PartImage
	case strings.HasPrefix(mime, "audio/"):
		p.Type = PartAudio
	case strings.HasPrefix(mime, "video/"):
		p.Type = PartVideo
	default:
		p.Type = PartDocument
	}
	p.Source.MIMEType = mime
	if data := r.optional(i, "data"); data != "" {
		p.Source.Type, p.Source.Value = SourceData, data
	} else if url := r.optional(i, "url"); url != "" {
		p.Source.Type, p.Source.Value = SourceURL, url
	} else {
		if !r.client {
			r.fail(i, "is a binary part with neither data nor url")
		}
		return p, false
	}
	if name := r.optional(i, "filename"); name != "" {
		p.Metadata = json.RawMessage(append(appendString([]byte(`{"filename":`), name), '}'))
	}
	return p, true
}
