package aguiclient

import (
	"slices"

	"github.com/aguistate/aguistate/middleware/agui"
)

// clientKey is where MESSAGES_SNAPSHOT says which activities it speaks for,
// and activityTypes the member that does.
const (
	clientKey     = "@ag-ui/client"
	activityTypes = "authoritativeActivityTypes"
)

// replaceMessages makes a snapshot the conversation: known messages are
// replaced where they stand, those that the snapshot does not have go, new
// ones come last. Activities and reasoning stay when the snapshot has none.
func (m *Mirror) replaceMessages(e *agui.MessagesSnapshot) {
	spoken := map[string]agui.Message{}
	hasReasoning, hasActivity := false, false
	for _, msg := range e.Messages {
		spoken[msg.ID] = msg
		hasReasoning = hasReasoning || msg.Role == agui.RoleReasoning
		hasActivity = hasActivity || msg.Role == agui.RoleActivity
	}
	ownsActivity := activityOwner(e, hasActivity)
	known := map[string]bool{}
	var kept conversation
	for n := range m.talk.all() {
		known[n.msg.ID] = true
		if msg, ok := spoken[n.msg.ID]; ok {
			kept.add(newEntry(msg))
			continue
		}
		switch n.msg.Role {
		case agui.RoleReasoning:
			if hasReasoning {
				continue
			}
		case agui.RoleActivity:
			if ownsActivity(n.msg.ActivityType) {
				continue
			}
		default:
			continue
		}
		kept.add(n)
	}
	for _, msg := range e.Messages {
		if !known[msg.ID] {
			kept.add(newEntry(msg))
		}
	}
	m.talk = kept
}

// activityOwner returns whether activities of a type go when the snapshot does
// not have them: what the snapshot's metadata declares, if anything, and
// whether it has activities at all, if not.
func activityOwner(e *agui.MessagesSnapshot, hasActivity bool) func(activityType string) bool {
	own, ok := e.Metadata[clientKey].(map[string]any)
	if !ok {
		return func(string) bool { return hasActivity }
	}
	declared, ok := own[activityTypes]
	if !ok {
		return func(string) bool { return hasActivity }
	}
	switch declared := declared.(type) {
	case nil:
		return func(string) bool { return true }
	case []any:
		return func(t string) bool { return slices.Contains(declared, any(t)) }
	}
	return func(string) bool { return false }
}
