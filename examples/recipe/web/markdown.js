// A small, safe subset of Markdown: paragraphs, lists, headings as bold lines, **bold**, *emphasis*,
// `code`. It makes elements with text in them; links, images and HTML stay the text they are.

import { h } from "./dom.js";

/** The nodes for a text, which may be unfinished. */
export function markdown(text) {
  const blocks = [];
  let list = null;
  let paragraph = null;
  for (const line of text.split("\n")) {
    const item = /^\s*(?:([-*•])|(\d{1,3})[.)])\s+(.*)$/.exec(line);
    if (line.trim() === "") {
      paragraph = null;
      continue;
    }
    if (item) {
      const tag = item[1] ? "ul" : "ol";
      if (list?.tagName.toLowerCase() !== tag || blocks.at(-1) !== list) {
        list = h(tag, item[2] ? { start: item[2] } : {});
        blocks.push(list);
      }
      list.append(h("li", {}, ...spans(item[3])));
      paragraph = null;
      continue;
    }
    const heading = /^#{1,4}\s+(.*)$/.exec(line);
    if (heading) {
      blocks.push(h("p", {}, h("strong", {}, ...spans(heading[1]))));
      paragraph = null;
    } else if (paragraph) paragraph.append(h("br"), ...spans(line));
    else blocks.push((paragraph = h("p", {}, ...spans(line))));
  }
  return blocks;
}

function spans(text) {
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(/\*\*(?=\S)(.{1,500}?)(?<=\S)\*\*|\*(?=\S)([^*]{1,500}?)(?<=\S)\*|`([^`]{1,500})`/g)) {
    if (found.index > from) nodes.push(text.slice(from, found.index));
    const [all, bold, emphasis, code] = found;
    if (bold) nodes.push(h("strong", {}, ...spans(bold)));
    else if (emphasis) nodes.push(h("em", {}, emphasis));
    else nodes.push(h("code", {}, code));
    from = found.index + all.length;
  }
  if (from < text.length) nodes.push(text.slice(from));
  return nodes;
}
