// Trusted texts: under the policy of replayed pages (require-trusted-types-for, see safety-headers.ts), the browser itself
// asks here before a text becomes markup or a script, whatever way it takes, and whatever a page has replaced. Nothing
// is refused; but a document that is written into a frame gets our start. Frames that have none, and so do not answer
// the browser, run no javascript: URL.
//
// Pages see a browser that has never heard of such things. Browsers that have not are left with inner-documents.js.

import { withoutHiddenShadows } from './hidden-shadows.js'
import { startedDocument } from './inner-documents.js'

const trustNames = [
  'trustedTypes',
  'TrustedHTML',
  'TrustedScript',
  'TrustedScriptURL',
  'TrustedTypePolicy',
  'TrustedTypePolicyFactory',
]

/** Where markup cannot bring shadows with it. */
const plainPlaces = {
  __proto__: null,
  'Element innerHTML': true,
  'Element outerHTML': true,
  'Element insertAdjacentHTML': true,
  'Range createContextualFragment': true,
  'DOMParser parseFromString': true,
}

/** Before anything that makes markup of a text. */
export function trustTexts() {
  if (window.trustedTypes === undefined) return
  const asItIs = (text) => text
  window.trustedTypes.createPolicy('default', {
    createHTML: (text, _type, place) => {
      if (place === 'HTMLIFrameElement srcdoc') return startedDocument(text)
      return plainPlaces[place] === true ? text : withoutHiddenShadows(text)
    },
    createScript: asItIs,
    createScriptURL: asItIs,
  })
  for (const name of trustNames)
    Object.defineProperty(window, name, { value: undefined, configurable: true, writable: true })
}
