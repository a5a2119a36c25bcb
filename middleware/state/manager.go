package state

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/agui"
)

// Manager decides how a change of a document is told to a client: as a
// snapshot, as a delta, or not at all. It is the decision of [Share] on its
// own, for documents that come from anywhere. The zero value is ready. It is
// not for concurrent use.
//
// The first publish, and the first after [Manager.Reset], is a
// [agui.StateSnapshot]. Later ones are compared with the exact document that
// was sent last: nothing changed is no event; otherwise an [agui.StateDelta]
// goes out (JSON Patch, RFC 6902) when its patch is smaller than the document
// and is sure to apply in every implementation, and a snapshot when not.
type Manager struct {
	// SnapshotsOnly tells every change by a snapshot.
	SnapshotsOnly bool

	published []byte // nil before the first publish
	whole     bool   // it was sent as it is: the last event was a snapshot
}

// checkBelow is the size of documents whose patches are always applied before
// they go out.
const checkBelow = 4 << 10

// Publish returns the event that tells the client of doc: a
// *agui.StateSnapshot, a *agui.StateDelta, or nil when nothing changed. The
// document is any JSON without duplicate member names, which RFC 8259 §4
// leaves undefined; the error is a [DocumentError] and changes nothing. The
// event does not share memory with doc.
func (m *Manager) Publish(doc json.RawMessage) (agui.Event, error) {
	frozen, err := freeze(doc)
	if err != nil {
		return nil, err
	}
	return m.publish(frozen, delta{}), nil
}

// Published returns the document that the client holds, as it was last sent;
// nil before the first publish and after a reset. It must not be changed.
func (m *Manager) Published() json.RawMessage { return m.published }

// Reset makes the next publish a snapshot.
func (m *Manager) Reset() { m.published, m.whole = nil, false }

// delta is a patch that is known already, between two documents that are known
// by their memory.
type delta struct {
	from, to []byte
	patch    agui.Patch
}

// publish decides for a document that is compact, valid and frozen.
func (m *Manager) publish(doc []byte, made delta) agui.Event {
	if m.published == nil {
		return m.snapshot(doc)
	}
	if bytes.Equal(m.published, doc) {
		return nil
	}
	patch, err := m.patch(doc, made)
	switch {
	case err != nil:
		return m.snapshot(doc)
	case len(patch) == 0:
		// The same value in another spelling: the client's stays the base.
		return nil
	case m.SnapshotsOnly || !m.applies(patch, doc):
		return m.snapshot(doc)
	}
	m.published, m.whole = doc, false
	return &agui.StateDelta{Delta: patch}
}

func (m *Manager) patch(doc []byte, made delta) (agui.Patch, error) {
	if len(made.patch) > 0 && sameBytes(made.from, m.published) && sameBytes(made.to, doc) && jsonpatch.Size(made.patch) < len(doc) {
		return made.patch, nil
	}
	return jsonpatch.Diff(m.published, doc, &jsonpatch.Options{MaxBytes: len(doc)})
}

func (m *Manager) snapshot(doc []byte) agui.Event {
	m.published, m.whole = doc, true
	return &agui.StateSnapshot{Snapshot: doc}
}

// applies checks that a patch gives the document, where that costs little.
func (m *Manager) applies(patch agui.Patch, doc []byte) bool {
	if len(doc) > checkBelow {
		return true
	}
	got, err := jsonpatch.Apply(m.published, patch)
	if err != nil {
		return false
	}
	rest, err := jsonpatch.Diff(got, doc, nil)
	return err == nil && len(rest) == 0
}

// freeze returns a compact copy of a document that shares no memory with it.
func freeze(doc []byte) ([]byte, error) {
	out, err := jsonpatch.Compact(make([]byte, 0, len(doc)), doc)
	if err != nil {
		return nil, invalid(err)
	}
	return out, nil
}

func invalid(err error) *DocumentError {
	var s *jsonpatch.SyntaxError
	if errors.As(err, &s) {
		return &DocumentError{Pointer: s.Pointer, Reason: s.Reason, Err: err}
	}
	return &DocumentError{Reason: "is not valid JSON", Err: err}
}
