// JSON whose numbers stay as they were written. A double makes another number of 12345678901234567891,
// and 1 of 1.0; such a number is a raw JSON value here, which JSON.stringify writes as it came. Browsers
// without raw values (before 2025) read it as the double.

const NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

/** Reads JSON like JSON.parse, which throws the same errors. */
export function parse(text) {
  return JSON.parse(text, (_, value, context) => (typeof value === "number" && context ? number(context.source) : value));
}

/** The number that a text says, as it says it if JSON can; NaN for none. */
export function number(text) {
  const n = Number(text);
  return JSON.rawJSON && String(n) !== text && NUMBER.test(text) ? JSON.rawJSON(text) : n;
}

/** Whether a value is a number that is kept as its text; it is an object to typeof. */
export const isWritten = (value) => JSON.isRawJSON?.(value) ?? false;
