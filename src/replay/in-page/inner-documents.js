// Inner documents: a frame whose document a script writes (`srcdoc`) has an origin of its own too, so it needs a start of its
// own as well. Without one it would also have what doors.js takes away.
//
// However a document came to its frame, it is seen before the frame begins to load it: changes of the page are told as
// soon as the script that made them has ended. Whoever wants out may have replaced every function by then, so those that
// are used here are kept from the beginning.

const call = Function.prototype.call
const kept = (method) => call.bind(method)
const select = {
  document: kept(Document.prototype.querySelectorAll),
  shadow: kept(DocumentFragment.prototype.querySelectorAll),
}
const getAttribute = kept(Element.prototype.getAttribute)
const nativeSetAttribute = Element.prototype.setAttribute
const setAttribute = kept(nativeSetAttribute)
const startsWith = kept(String.prototype.startsWith)
const slice = kept(String.prototype.slice)
const exec = kept(RegExp.prototype.exec)
const observe = kept(MutationObserver.prototype.observe)
const toText = String

const frameCount = kept(Object.getOwnPropertyDescriptor(window, 'length').get)
const frameNames = 'iframe, frame, object, embed'
const InnerFrame = HTMLIFrameElement

const watched = { subtree: true, childList: true, attributes: true, attributeFilter: ['srcdoc'] }

let start

/** What else is to be done to documents that are written into frames. */
export function startedDocument(text) {
  return started(text, start)
}

export function prepareInnerStart(facts) {
  start = startsFor({ ...facts, modifier: 'if_' })
}

/** Before wombat, which rewrites what is written and hands it on to these. */
export function startInnerDocuments() {
  const prototype = HTMLIFrameElement.prototype
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'srcdoc')
  Object.defineProperty(prototype, 'srcdoc', {
    ...descriptor,
    set(document) {
      descriptor.set.call(this, started(document, start))
    },
  })
  Element.prototype.setAttribute = function (name, value) {
    const isDocument = this instanceof HTMLIFrameElement && String(name).toLowerCase() === 'srcdoc'
    return nativeSetAttribute.call(this, name, isDocument ? started(value, start) : value)
  }
  watchFrames(start)
}

function watchFrames(start) {
  const observer = new MutationObserver(() => {
    if (frameCount(window) === 0) return
    const known = []
    startWithin(select.document(document, frameNames), start, known)
    for (let at = 0; at < shadows.count; at++)
      startWithin(select.shadow(shadows[at], frameNames), start, known)
    emptyOthers(known)
  })
  observe(observer, document, watched)
  const shadows = { __proto__: null, count: 0 }
  const attachShadow = Element.prototype.attachShadow
  Element.prototype.attachShadow = function (...given) {
    const shadow = attachShadow.apply(this, given)
    shadows[shadows.count++] = shadow
    observe(observer, shadow, watched)
    return shadow
  }
  closeHiddenShadows()
}

/** Frames in a shadow that came closed with written markup: nobody can look into it, but the window counts them. */
function emptyOthers(known) {
  const count = frameCount(window)
  if (count === known.length) return
  for (let at = 0; at < count; at++) {
    let isKnown = false
    for (let place = 0; place < known.length; place++) isKnown ||= known[place] === window[at]
    if (!isKnown) window[at].location = 'about:blank'
  }
}

/** Closed ones that come with markup could not be watched. */
function closeHiddenShadows() {
  for (const prototype of [Element.prototype, ShadowRoot.prototype]) {
    if (!('setHTMLUnsafe' in prototype)) continue
    prototype.setHTMLUnsafe = function setHTMLUnsafe(text) {
      this.innerHTML = text
    }
  }
  if ('parseHTMLUnsafe' in Document) {
    Document.parseHTMLUnsafe = (text) => new DOMParser().parseFromString(text, 'text/html')
  }
}

/** Its places are its own, unlike its length, which a page could replace. */
function startWithin(frames, start, known) {
  for (let at = 0; frames[at] !== undefined; at++) {
    const shown = windowOf(frames[at])
    if (shown !== null) known[known.length] = shown
    const text = getAttribute(frames[at], 'srcdoc')
    if (text === null || !(frames[at] instanceof InnerFrame)) continue
    const good = started(text, start)
    if (good !== text) setAttribute(frames[at], 'srcdoc', good)
  }
}

const windowGetters = [HTMLIFrameElement, HTMLFrameElement, HTMLObjectElement].map((element) => [
  element,
  kept(Object.getOwnPropertyDescriptor(element.prototype, 'contentWindow').get),
])

function windowOf(element) {
  for (let at = 0; at < windowGetters.length; at++) {
    if (element instanceof windowGetters[at][0]) return windowGetters[at][1](element)
  }
  return null
}

/** Behind a document type, or the page would be laid out by other rules. */
function started(document, { ours, servers }) {
  const text = toText(document)
  const type = exec(/^\s*<!doctype[^>]*>/i, text)?.[0] ?? ''
  const rest = slice(text, type.length)
  return startsWith(rest, ours) || startsWith(rest, servers) ? text : type + ours + rest
}

/** As the server writes it too: see rewrite/page-start.ts. */
function startsFor(facts) {
  const attribute = JSON.stringify(facts).replace(/[&'<>]/g, (character) => `&#${character.charCodeAt(0)};`)
  const element = (origin) =>
    `<script src="${origin}/web/_/start.js" data-polyhistor='${attribute}'></script>`
  return { ours: element(facts.replay), servers: element('') }
}
