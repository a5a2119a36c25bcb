// A server that is not ours: its events are written by the official encoder.
// Each path is a run of its own.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { EventEncoder } from '@ag-ui/encoder';

const text = (messageId, ...deltas) => [
  { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
  ...deltas.map((delta) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta })),
  { type: 'TEXT_MESSAGE_END', messageId },
];

const call = (toolCallId, toolCallName, parentMessageId, ...deltas) => [
  { type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId },
  ...deltas.map((delta) => ({ type: 'TOOL_CALL_ARGS', toolCallId, delta })),
  { type: 'TOOL_CALL_END', toolCallId },
];

/** The runs, by path: what comes between RUN_STARTED and RUN_FINISHED, or all of it. */
export const runs = {
  text: () => text('m1', 'Hello, ', 'naïve 👩‍👩‍👧 ', '<b>&</b>\u2028\n\ndata: x'),
  state: () => [
    { type: 'STATE_SNAPSHOT', snapshot: { count: 1, list: ['a'], 'a/b': { 'm~n': null } } },
    { type: 'STATE_DELTA', delta: [{ op: 'replace', path: '/count', value: 2 }, { op: 'add', path: '/list/-', value: null }, { op: 'move', from: '/list/0', path: '/first' }] },
    { type: 'STATE_DELTA', delta: [{ op: 'test', path: '/a~1b/m~0n', value: null }, { op: 'copy', from: '/a~1b', path: '/copy' }] },
    ...text('m1', 'Changed.'),
    { type: 'STATE_DELTA', delta: [{ op: 'remove', path: '/nothing here' }] },
    { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/late', value: 0.1 }] },
  ],
  deltas: () => [{ type: 'STATE_DELTA', delta: [{ op: 'add', path: '/list/0', value: { deep: [1, 2] } }, { op: 'remove', path: '/nothing' }] }],
  scalar: () => [{ type: 'STATE_SNAPSHOT', snapshot: null }],
  tools: () => [
    ...text('m1', 'Looking.'),
    ...call('c1', 'search', 'm1', '{"q":', '1}'),
    { type: 'STATE_SNAPSHOT', snapshot: { found: 3 } },
    { type: 'TOOL_CALL_RESULT', messageId: 'r1', toolCallId: 'c1', content: '3 found', role: 'tool' },
    ...text('m2', 'Three.'),
  ],
  client: (input) =>
    input.messages.some((m) => m.role === 'tool')
      ? text('m2', `So it is ${input.messages.at(-1).content}.`)
      : call('c1', 'weather', 'm1', '{"city"', ':"Oslo"}'),
  reasoning: () => [
    { type: 'REASONING_START', messageId: 'r1' },
    { type: 'REASONING_MESSAGE_START', messageId: 'r1', role: 'reasoning' },
    { type: 'REASONING_MESSAGE_CONTENT', messageId: 'r1', delta: 'hm' },
    { type: 'REASONING_MESSAGE_END', messageId: 'r1' },
    { type: 'REASONING_END', messageId: 'r1' },
    { type: 'REASONING_ENCRYPTED_VALUE', subtype: 'message', entityId: 'r1', encryptedValue: 'abc' },
    ...text('m1', 'Yes.'),
  ],
  chunks: () => [
    { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm1', delta: 'a' },
    { type: 'TEXT_MESSAGE_CHUNK', delta: 'b' },
    { type: 'STATE_SNAPSHOT', snapshot: [1] },
    { type: 'TOOL_CALL_CHUNK', toolCallId: 'c1', toolCallName: 'f', parentMessageId: 'm1', delta: '{}' },
    { type: 'TOOL_CALL_RESULT', messageId: 'r1', toolCallId: 'c1', content: [{ type: 'text', text: 'ok' }] },
    { type: 'REASONING_MESSAGE_CHUNK', messageId: 'r2', delta: 'so' },
  ],
  activities: () => [
    { type: 'ACTIVITY_SNAPSHOT', messageId: 'a1', activityType: 'PLAN', content: { steps: [] }, metadata: { m: 1 } },
    { type: 'ACTIVITY_DELTA', messageId: 'a1', activityType: 'PLAN', patch: [{ op: 'add', path: '/steps/-', value: 'one' }] },
    { type: 'MESSAGES_SNAPSHOT', messages: [{ id: 'u1', role: 'user', content: 'edited' }, { id: 'm9', role: 'assistant', content: 'from the store' }] },
    { type: 'CUSTOM', name: 'n', value: null },
    { type: 'RAW', event: { any: 1 } },
    { type: 'STEP_STARTED', stepName: 's' },
    { type: 'STEP_FINISHED', stepName: 's' },
  ],
  subagents: () => [
    { type: 'SUBAGENT_STARTED', subagentRunId: 's1', name: 'helper' },
    { type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant', subagentRunId: 's1' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta: 'from below' },
    { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
    { type: 'SUBAGENT_FINISHED', subagentRunId: 's1' },
  ],
  interrupt: (input) => [
    { type: 'RUN_STARTED', threadId: input.threadId, runId: input.runId },
    { type: 'RUN_FINISHED', threadId: input.threadId, runId: input.runId, outcome: { type: 'interrupt', interrupts: [{ id: 'i1', reason: 'confirm', message: 'Sure?' }] } },
  ],
  result: (input) => [
    { type: 'RUN_STARTED', threadId: input.threadId, runId: input.runId, protocolVersion: '1.0' },
    { type: 'RUN_FINISHED', threadId: input.threadId, runId: input.runId, result: { n: null }, outcome: null, usage: [{ model: 'm', inputTokens: 3 }] },
  ],
  error: (input) => [
    { type: 'RUN_STARTED', threadId: input.threadId, runId: input.runId },
    ...text('m1', 'Half'),
    { type: 'RUN_ERROR', message: 'It broke.', code: 'BROKEN' },
  ],
  retired: () => [
    { type: 'THINKING_START', title: 'x' },
    { type: 'THINKING_TEXT_MESSAGE_START' },
    { type: 'THINKING_TEXT_MESSAGE_CONTENT', delta: 'old ways' },
    { type: 'THINKING_TEXT_MESSAGE_END' },
    { type: 'THINKING_END' },
    ...text('m1', 'Done.'),
  ],
  // What was asked, but for the run's id.
  echo: ({ runId, ...input }) => [{ type: 'STATE_SNAPSHOT', snapshot: input }],
};

/** Starts the server; the address of a run is url + '/' + its name. */
export async function startForeign() {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request.setEncoding('utf8')) body += piece;
    const input = JSON.parse(body);
    const encoder = new EventEncoder({ accept: request.headers.accept });
    response.writeHead(200, { 'Content-Type': encoder.getContentType() });
    let events = runs[request.url.slice(1)](input);
    if (events[0].type !== 'RUN_STARTED') {
      const ids = { threadId: input.threadId, runId: input.runId };
      events = [{ type: 'RUN_STARTED', ...ids }, ...events, { type: 'RUN_FINISHED', ...ids }];
    }
    for (const event of events) response.write(encoder.encodeSSE(event));
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
