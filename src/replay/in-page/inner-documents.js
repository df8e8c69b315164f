// Inner documents: a frame whose document a script writes (`srcdoc`) has an origin of its own too, so it needs a start of its
// own as well.

/** Before wombat, which rewrites what is written and hands it on to these. */
export function startInnerDocuments(facts) {
  const start = startFor({ ...facts, modifier: 'if_' })
  const prototype = HTMLIFrameElement.prototype
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'srcdoc')
  Object.defineProperty(prototype, 'srcdoc', {
    ...descriptor,
    set(document) {
      descriptor.set.call(this, started(document, start))
    },
  })
  const setAttribute = Element.prototype.setAttribute
  Element.prototype.setAttribute = function (name, value) {
    const isDocument = this instanceof HTMLIFrameElement && String(name).toLowerCase() === 'srcdoc'
    return setAttribute.call(this, name, isDocument ? started(value, start) : value)
  }
}

function started(document, start) {
  const text = String(document)
  if (text.includes(start)) return text
  // Behind a document type, or the page would be laid out by other rules.
  const type = /^\s*<!doctype[^>]*>/i.exec(text)?.[0] ?? ''
  return type + start + text.slice(type.length)
}

function startFor(facts) {
  const attribute = JSON.stringify(facts).replace(/[&'<>]/g, (character) => `&#${character.charCodeAt(0)};`)
  return `<script src="${facts.replay}/web/_/start.js" data-polyhistor='${attribute}'></script>`
}
