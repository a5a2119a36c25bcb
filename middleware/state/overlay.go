package state

import (
	"bytes"

	"github.com/aguistate/aguistate/internal/jsonpatch"
)

// overlay is a change that is still being made: a model writes it. The client
// sees it laid over the settled document; tools, State and the model do not.
// It becomes part of the document when it is committed, and leaves nothing
// behind when it is dropped.
type overlay struct {
	// apply returns the text of a value of S with the change in it.
	apply func(text []byte) ([]byte, error)
}

// visible is the document as the client is to see it: the settled one with
// the overlays upon it. An overlay that does not apply, because a tool has
// changed what it needs, is left out.
func (c *core[S]) visible() []byte {
	text := c.text
	for _, o := range c.overlays {
		if next, err := c.laid(o, text); err == nil {
			text = next
		}
	}
	return c.spelled(text)
}

// laid returns the text of a value with an overlay upon it, as S spells it.
func (c *core[S]) laid(o *overlay, text []byte) ([]byte, error) {
	next, err := o.apply(text)
	if err != nil {
		return nil, err
	}
	v, err := c.codec.decode(next)
	if err != nil {
		return nil, err
	}
	return c.codec.encode(v)
}

// spelled is the document that a change of the value to text makes of the
// settled one.
func (c *core[S]) spelled(text []byte) []byte {
	switch {
	case bytes.Equal(text, c.text):
		return c.doc
	case sameBytes(c.doc, c.text):
		return text
	}
	doc, err := jsonpatch.Rebase(c.doc, c.text, text, &jsonpatch.Options{Keys: c.keys})
	if err != nil {
		return c.doc
	}
	return doc
}

// lay puts the next step of an overlay upon the document and publishes it. A
// step that does not fit S, or makes the document too large, shows nothing.
// It reports whether anything was published.
func (c *core[S]) lay(o *overlay, apply func([]byte) ([]byte, error)) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended || c.settle() != nil {
		return false
	}
	next := &overlay{apply: apply}
	if _, err := c.laid(next, c.text); err != nil {
		return false
	}
	was := o.apply
	o.apply = apply
	if was == nil {
		c.overlays = append(c.overlays, o)
	}
	if c.maxBytes > 0 && len(c.visible()) > c.maxBytes {
		o.apply = was
		if was == nil {
			c.overlays = c.overlays[:len(c.overlays)-1]
		}
		return false
	}
	return c.tellVisible()
}

// tellVisible queues what shows now, if the client has not been told it.
func (c *core[S]) tellVisible() bool {
	told := c.shown
	if told == nil {
		told = c.doc
	}
	if !c.unsent && bytes.Equal(c.visible(), told) {
		return false
	}
	_, err := c.enqueue(nil)
	return err == nil
}

// drop takes an overlay away and publishes what shows then.
func (c *core[S]) drop(o *overlay) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.remove(o) && !c.ended {
		c.tellVisible()
	}
}

// commit makes an overlay's last step part of the document and publishes. An
// error drops it.
func (c *core[S]) commit(o *overlay, apply func([]byte) ([]byte, error)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(o)
	err := c.update(func(v *S) error {
		next, err := apply(c.text)
		if err != nil {
			return err
		}
		n, err := c.codec.decode(next)
		if err == nil {
			*v = *n
		}
		return err
	})
	if !c.ended {
		c.tellVisible()
	}
	return err
}

// remove takes an overlay off and reports whether it was there.
func (c *core[S]) remove(o *overlay) bool {
	for i, other := range c.overlays {
		if other == o {
			c.overlays = append(c.overlays[:i:i], c.overlays[i+1:]...)
			return true
		}
	}
	return false
}
