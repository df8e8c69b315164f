// Functions as the browser has them, kept from the beginning: whoever wants out may replace every one of them later.

const keep = (method) => Function.prototype.call.bind(method)

export const kept = {
  __proto__: null,
  asText: String,
  includes: keep(String.prototype.includes),
  startsWith: keep(String.prototype.startsWith),
  endsWith: keep(String.prototype.endsWith),
  slice: keep(String.prototype.slice),
  toLowerCase: keep(String.prototype.toLowerCase),
  exec: keep(RegExp.prototype.exec),
  selectInDocument: keep(Document.prototype.querySelectorAll),
  selectInShadow: keep(DocumentFragment.prototype.querySelectorAll),
  getAttribute: keep(Element.prototype.getAttribute),
  setAttribute: keep(Element.prototype.setAttribute),
  observe: keep(MutationObserver.prototype.observe),
}
