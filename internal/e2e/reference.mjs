// Prints what the installed @ag-ui/core says of events and of the objects in
// them, one a line: the name, then the members in order, "?" behind those that
// may be absent. The Go side is held against it (internal/guard), so that a
// newer protocol is noticed by name.
//
//   node reference.mjs > ../guard/testdata/reference.txt
import * as schemas from '@ag-ui/core/schemas';
import { pathToFileURL } from 'node:url';

// unwrap peels what zod puts around an object schema.
function unwrap(schema) {
  for (let s = schema; s; ) {
    const def = s._def ?? s.def;
    if (s.shape) return s;
    s = def.schema ?? def.innerType ?? def.in ?? null;
  }
  return null;
}

// A member may be absent even where its value may not be undefined.
const optional = (schema) => schema._zod.optin === 'optional';

const members = (object) =>
  Object.entries(object.shape).map(([name, s]) => name + (optional(s) ? '?' : ''));

function literal(schema) {
  const def = schema._def ?? schema.def;
  return def.value ?? def.values?.[0];
}

export function reference() {
  const union = schemas.EventSchemas;
  const options = union.options ?? union._def.options;
  const events = [...options].map((o) => unwrap(o)).map((o) => {
    const type = literal(o.shape.type);
    return [type, ...members(o).filter((m) => m !== 'type')].join(' ');
  });
  const objects = ['RunAgentInput', 'Tool', 'Context', 'ResumeEntry', 'Interrupt', 'TokenUsage', 'ToolCall', 'FunctionCall',
    'AssistantMessage', 'UserMessage', 'SystemMessage', 'DeveloperMessage', 'ToolMessage', 'ActivityMessage', 'ReasoningMessage',
    'TextPart', 'ImagePart', 'DataSource', 'UrlSource', 'FileSource',
    'RunFinishedSuccessOutcome', 'RunFinishedInterruptOutcome', 'RunFinishedCancelledOutcome',
    'SubagentFinishedSuccessOutcome', 'SubagentFinishedSuspendedOutcome']
    .map((name) => {
      const schema = schemas[`${name}Schema`];
      if (!schema) throw new Error(`@ag-ui/core has no ${name}Schema any more`);
      return [name, ...members(unwrap(schema))].join(' ');
    });
  return [`protocol ${schemas.PROTOCOL_VERSION}`, ...events.sort(), ...objects].join('\n') + '\n';
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) process.stdout.write(reference());
