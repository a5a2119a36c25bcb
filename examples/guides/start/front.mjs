import { HttpAgent } from "@ag-ui/client";

const agent = new HttpAgent({
  url: "http://localhost:8080/agent",
  initialState: { tasks: ["call home"], theme: "dark" },
});
agent.addMessage({ id: "u1", role: "user", content: 'add_task {"title":"buy milk"}' });
await agent.runAgent({}, {
  onStateChanged: ({ state }) => console.log(state), // draw it
  onTextMessageEndEvent: ({ textMessageBuffer }) => console.log(textMessageBuffer),
});
