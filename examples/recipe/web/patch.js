// JSON Patch (RFC 6902) with JSON Pointer (RFC 6901), as STATE_DELTA and ACTIVITY_DELTA carry it.

/** A patch that does not apply. `index` is the operation, `path` its pointer. */
export class PatchError extends Error {
  constructor(index, op, why) {
    super(`operation ${index} (${op?.op} ${JSON.stringify(op?.path)}): ${why}`);
    this.name = "PatchError";
    this.index = index;
    this.path = op?.path;
  }
}

/**
 * Returns the document after all operations, or throws and has changed nothing: they are carried
 * out on a copy. `document` itself is never touched, so whoever holds it holds what it was.
 */
export function apply(document, patch) {
  if (!Array.isArray(patch)) throw new TypeError("a patch is an array of operations");
  // The root has a parent of its own, so that the path "" needs no code of its own.
  const box = { root: structuredClone(document) };
  patch.forEach((op, index) => {
    try {
      perform(box, op);
    } catch (error) {
      throw new PatchError(index, op, error.message);
    }
  });
  return box.root;
}

function perform(box, op) {
  switch (op?.op) {
    case "add":
      return add(box, op.path, value(op));
    case "remove":
      return remove(box, op.path);
    case "replace": {
      const at = existing(box, op.path);
      return put(at.parent, at.key, value(op));
    }
    case "move": {
      if (op.path !== op.from && `${op.path}/`.startsWith(`${op.from}/`)) {
        throw new Error("a value cannot move into itself");
      }
      const moved = get(box, op.from);
      remove(box, op.from);
      return add(box, op.path, moved);
    }
    case "copy":
      return add(box, op.path, structuredClone(get(box, op.from)));
    case "test":
      if (!equal(get(box, op.path), value(op))) throw new Error("the value is another one");
      return;
    default:
      throw new Error("no such operation");
  }
}

/** The tokens of a JSON Pointer. */
export function tokens(pointer) {
  if (typeof pointer !== "string") throw new Error("the pointer is missing");
  if (pointer === "") return [];
  if (pointer[0] !== "/" || /~(?![01])/.test(pointer)) throw new Error("that is no JSON Pointer");
  return pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

// locate walks to the parent of what the pointer names.
function locate(box, pointer) {
  let parent = box;
  let key = "root";
  for (const token of tokens(pointer)) {
    parent = child(parent, key);
    if (parent === null || typeof parent !== "object") {
      throw new Error(`there is nothing that could hold ${JSON.stringify(token)}`);
    }
    key = token;
  }
  return { parent, key };
}

function existing(box, pointer) {
  const at = locate(box, pointer);
  child(at.parent, at.key);
  return at;
}

function get(box, pointer) {
  const { parent, key } = locate(box, pointer);
  return child(parent, key);
}

function child(parent, key) {
  if (Array.isArray(parent)) return parent[index(key, parent.length - 1)];
  // Own members only: "toString" is in no document unless somebody wrote it there.
  if (!Object.hasOwn(parent, key)) throw new Error(`there is no ${JSON.stringify(key)}`);
  return parent[key];
}

function add(box, pointer, item) {
  const { parent, key } = locate(box, pointer);
  if (!Array.isArray(parent)) return put(parent, key, item);
  parent.splice(key === "-" ? parent.length : index(key, parent.length), 0, item);
}

function remove(box, pointer) {
  const { parent, key } = existing(box, pointer);
  if (parent === box) box.root = null;
  else if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
}

function put(parent, key, item) {
  if (Array.isArray(parent)) parent[Number(key)] = item;
  else if (key === "__proto__") {
    // An assignment would set the prototype; JSON means a member of that name.
    Object.defineProperty(parent, key, { value: item, writable: true, enumerable: true, configurable: true });
  } else parent[key] = item;
}

function index(token, last) {
  if (!/^(0|[1-9][0-9]*)$/.test(token)) throw new Error(`${JSON.stringify(token)} is no array index`);
  const at = Number(token);
  if (at > last) throw new Error(`index ${token} is past the end`);
  return at;
}

function value(op) {
  if (!Object.hasOwn(op, "value")) throw new Error("the value is missing");
  return structuredClone(op.value);
}

/** Whether two JSON values are the same; the order of members does not matter. */
export function equal(a, b) {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]));
}
