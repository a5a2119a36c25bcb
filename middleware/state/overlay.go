package state

import (
	"bytes"
	"slices"

	"github.com/aguistate/aguistate/internal/jsonpatch"
	"github.com/aguistate/aguistate/middleware/chat"
)

// overlay is a change that is still being made: a model writes it. The client
// sees it laid over the settled document; tools, State and the model do not.
// It becomes part of the document when it is committed, and leaves nothing
// behind when it is dropped.
type overlay struct {
	step
	laid []byte // what the step made of on; nil when it did not apply
	on   []byte
}

// step returns the text of a value of S with a change in it.
type step func(text []byte) ([]byte, error)

// view is what was last seen, kept until what it was made of has changed: a
// new document always has a new text.
type view struct{ text, laid, seen []byte }

// visible is the document as the client is to see it: the settled one with
// the overlays upon it. An overlay that does not apply, because a tool has
// changed what it needs, and one that makes the document too large, is left
// out.
func (c *core[S]) visible() []byte {
	text, seen := c.text, c.doc
	for _, o := range c.overlays {
		next := c.laid(o, text)
		if next == nil {
			continue
		}
		if doc := c.spelled(next); c.fits(doc) == nil {
			text, seen = next, doc
		}
	}
	return seen
}

// laid returns the text of a value with an overlay upon it, as S spells it;
// nil when it does not apply.
func (c *core[S]) laid(o *overlay, text []byte) []byte {
	if o.on == nil || !sameBytes(o.on, text) {
		o.on, o.laid = text, nil
		if next, err := c.stepped(o.step, text); err == nil {
			o.laid = next
		}
	}
	return o.laid
}

// stepped is what a step makes of a text. A panic of a user's function in it
// is an error like another.
func (c *core[S]) stepped(s step, text []byte) (next []byte, err error) {
	err = chat.Protect(func() (err error) {
		err = calling(func() (err error) {
			next, err = s(text)
			return err
		})
		if err != nil {
			return err
		}
		v, err := c.codec.decode(next)
		if err != nil {
			return err
		}
		next, err = c.codec.encode(v, nil)
		return err
	})
	if err == nil && bytes.Equal(next, text) {
		return text, nil
	}
	return next, err
}

// spelled is the document that a change of the value to laid makes of the
// settled one.
func (c *core[S]) spelled(laid []byte) []byte {
	if sameBytes(laid, c.text) {
		return c.doc
	}
	if v := c.view; v == nil || !sameBytes(v.text, c.text) || !sameBytes(v.laid, laid) {
		seen, err := jsonpatch.Rebase(c.doc, c.text, laid, c.rebasing())
		if err != nil {
			seen = c.doc
		}
		c.view = &view{c.text, laid, seen}
	}
	return c.view.seen
}

// lay puts the next step of an overlay upon the document and publishes it. A
// step that does not fit S, or makes the document too large, shows nothing:
// the one before goes on to show. It reports whether anything was published.
func (c *core[S]) lay(o *overlay, s step) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	c.settleFor()
	next := overlay{step: s}
	laid := c.laid(&next, c.text)
	if laid == nil || c.fits(c.spelled(laid)) != nil {
		return false
	}
	if *o, next = next, *o; next.step == nil {
		c.overlays = append(c.overlays, o)
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
func (c *core[S]) commit(o *overlay, s step) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(o)
	err := c.update(func(v *S) error {
		next, err := c.stepped(s, c.text)
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
	i := slices.Index(c.overlays, o)
	if i >= 0 {
		c.overlays = slices.Delete(c.overlays, i, i+1)
	}
	return i >= 0
}
