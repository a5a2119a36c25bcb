// Server-sent events, read from the body of a fetch.
//
// EventSource cannot POST, so the frames are read here. The rules are those of the WHATWG
// (https://html.spec.whatwg.org/multipage/server-sent-events.html), with two that every AG-UI
// client shares: only `data` lines count, and a last event without its blank line is still an
// event when the body ends. Whether the run was whole is not a question for this file: the run
// (agent.js) asks for its terminal event.

/** A frame longer than this is refused: somebody is not sending events. In characters. */
export const FRAME_LIMIT = 10 * 1024 * 1024;

const encoder = new TextEncoder();

/** Splits text into frames, however the text was cut on its way. */
export class FrameParser {
  #rest = ""; // the line that has not ended yet
  #scanned = 0; // how much of it is known to hold no line end
  #skipLF = false; // the last line ended in CR: a LF now belongs to it
  #data = null; // the data lines of the frame that has not ended yet
  #bytes = 0;
  #held = 0; // characters in #data

  /** Takes more text, returns the frames that are whole now: `{data, bytes}`. */
  push(text) {
    const found = [];
    if (this.#skipLF && text !== "") {
      if (text[0] === "\n") text = text.slice(1);
      this.#skipLF = false;
    }
    this.#rest += text;
    let start = 0;
    for (;;) {
      const end = lineEnd(this.#rest, Math.max(start, this.#scanned));
      if (end < 0) break;
      const line = this.#rest.slice(start, end);
      start = end + 1;
      if (this.#rest[end] === "\r") {
        if (start === this.#rest.length) this.#skipLF = true;
        else if (this.#rest[start] === "\n") start++;
      }
      this.#scanned = start;
      this.#line(line, found);
    }
    this.#rest = this.#rest.slice(start);
    this.#scanned = this.#rest.length;
    if (this.#rest.length + this.#held > FRAME_LIMIT) {
      throw new RangeError(`an event is longer than ${FRAME_LIMIT} characters`);
    }
    return found;
  }

  /** The body has ended: returns the frame that lacks only its blank line, if there is one. */
  end() {
    const found = [];
    if (this.#rest !== "") this.#line(this.#rest, found);
    this.#rest = "";
    this.#line("", found);
    for (const frame of found) frame.unfinished = true;
    return found;
  }

  #line(line, found) {
    if (line === "") {
      if (this.#data !== null) found.push({ data: this.#data.join("\n"), bytes: this.#bytes + 1 });
      this.#data = null;
      this.#bytes = this.#held = 0;
      return;
    }
    if (!line.startsWith("data:")) return; // comments (keep-alive), event, id, retry
    this.#data ??= [];
    this.#data.push(line.slice(line[5] === " " ? 6 : 5));
    this.#bytes += encoder.encode(line).length + 1;
    this.#held += line.length;
  }
}

function lineEnd(text, from) {
  for (let i = from; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 10 || c === 13) return i;
  }
  return -1;
}

/**
 * Yields the frames of a body (a ReadableStream of bytes) as they come. One decoder reads the whole
 * body, so a letter whose bytes come in two reads is still one letter. Leaving the loop early
 * cancels the body.
 */
export async function* frames(body) {
  const parser = new FrameParser();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      yield* parser.push(done ? decoder.decode() : decoder.decode(value, { stream: true }));
      if (done) break;
    }
    yield* parser.end();
  } finally {
    reader.cancel().catch(() => {}); // it may have failed already, which was reported above
  }
}
