package jsonpatch

import "github.com/aguistate/aguistate/middleware/agui"

// Edit is [Rebase] and [Diff] in one: it returns the changed document, and the
// patch from doc to it. When the document changed and there is no patch for
// it, next is right all the same and err says why, as [Diff] does.
func Edit(doc, before, after []byte, o *Options) (next []byte, patch agui.Patch, err error) {
	next, err = Rebase(doc, before, after, o)
	if err != nil {
		return nil, nil, err
	}
	patch, err = Diff(doc, next, o)
	return next, patch, err
}
