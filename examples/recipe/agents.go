package main

import (
	"crypto/rand"

	"github.com/aguistate/aguistate/middleware/agui"
	"github.com/aguistate/aguistate/middleware/chat"
)

// agent is one of the agents on this server: the same recipe, written in three
// ways. GET /info lists them, the page's own first.
type agent struct {
	Path string `json:"path"`
	// Name says what it does, to stand behind "the agent".
	Name string `json:"name"`
	// ClientTools says whether a client's tools are of use to it.
	ClientTools bool `json:"clientTools"`

	client chat.Client
}

func agents(c *config, model chat.Client) []agent {
	key := c.key
	if key == nil {
		key = make([]byte, keyBytes)
		_, _ = rand.Read(key) // never fails
	}
	return []agent{
		{Path: "/agent", Name: "writes the whole recipe", client: newAgent(model)},
		{Path: "/tools", Name: "uses tools", ClientTools: true, client: newWithTools(model, key)},
		{Path: "/byhand", Name: "is made by hand", client: newByHand(model)},
	}
}

// capabilities are what the agent says of itself, see [agui.Capabilities].
func (a *agent) capabilities() *agui.Capabilities {
	c := &agui.Capabilities{
		Identity:  &agui.IdentityCapabilities{Name: "recipe", Description: "Writes a recipe together with a person: it " + a.Name + "."},
		Transport: &agui.TransportCapabilities{Streaming: new(true)},
		State:     &agui.StateCapabilities{Snapshots: new(true), Deltas: new(true)},
	}
	if a.ClientTools {
		c.Tools = &agui.ToolCapabilities{Supported: new(true), ParallelCalls: new(true), ClientProvided: new(true)}
		for _, t := range recipeTools() {
			c.Tools.Items = append(c.Tools.Items, agui.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
		}
		c.HumanInTheLoop = &agui.HumanInTheLoopCapabilities{
			Supported: new(true), Approvals: new(true), ApproveWithEdits: new(true), Interrupts: new(true),
		}
	}
	return c
}
