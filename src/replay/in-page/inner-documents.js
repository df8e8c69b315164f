// Inner documents: a frame whose document a script writes (`srcdoc`) has an origin of its own too, so it needs a start of its
// own as well. Without one it would also have what doors.js takes away.
//
// However a document came to its frame, it is seen before the frame begins to load it: changes of the page are told as
// soon as the script that made them has ended. Browsers with trusted types ask even before (trusted-texts.js).

import { kept } from './kept-functions.js'

const watchedChanges = { subtree: true, childList: true, attributes: true, attributeFilter: ['srcdoc'] }

let innerStart

export function prepareInnerStart(facts) {
  innerStart = startsFor({ ...facts, modifier: 'if_' })
}

/** The document of a frame with our start. Behind a document type, or the page would be laid out by other rules. */
export function startedDocument(document) {
  const text = kept.asText(document)
  const type = kept.exec(/^\s*<!doctype[^>]*>/i, text)?.[0] ?? ''
  const rest = kept.slice(text, type.length)
  const { ours, servers } = innerStart
  return kept.startsWith(rest, ours) || kept.startsWith(rest, servers) ? text : type + ours + rest
}

/** Before wombat, which rewrites what is written and hands it on to these. */
export function startInnerDocuments() {
  const prototype = HTMLIFrameElement.prototype
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'srcdoc')
  Object.defineProperty(prototype, 'srcdoc', {
    ...descriptor,
    set(document) {
      descriptor.set.call(this, startedDocument(document))
    },
  })
  Element.prototype.setAttribute = function setAttribute(name, value) {
    const isDocument = this instanceof HTMLIFrameElement && String(name).toLowerCase() === 'srcdoc'
    return kept.setAttribute(this, name, isDocument ? startedDocument(value) : value)
  }
  watchFrames()
}

function watchFrames() {
  const shadows = { __proto__: null, count: 0 }
  const observer = new MutationObserver(() => {
    startWithin(kept.selectInDocument(document, 'iframe[srcdoc]'))
    for (let at = 0; at < shadows.count; at++) startWithin(kept.selectInShadow(shadows[at], 'iframe[srcdoc]'))
  })
  kept.observe(observer, document, watchedChanges)
  const attachShadow = Element.prototype.attachShadow
  Element.prototype.attachShadow = function (...given) {
    const shadow = attachShadow.apply(this, given)
    shadows[shadows.count++] = shadow
    kept.observe(observer, shadow, watchedChanges)
    return shadow
  }
}

/** Its places are its own, unlike its length, which a page could replace. */
function startWithin(frames) {
  for (let at = 0; frames[at] !== undefined; at++) {
    const text = kept.getAttribute(frames[at], 'srcdoc')
    const good = startedDocument(text)
    if (good !== text) kept.setAttribute(frames[at], 'srcdoc', good)
  }
}

/** As the server writes it too: see rewrite/page-start.ts. */
function startsFor(facts) {
  const attribute = JSON.stringify(facts).replace(/[&'<>]/g, (character) => `&#${character.charCodeAt(0)};`)
  const element = (origin) =>
    `<script src="${origin}/web/_/start.js" data-polyhistor='${attribute}'></script>`
  return { ours: element(facts.replay), servers: element('') }
}
