// Doors: ways out of the page that a policy does not close everywhere. The policy is what keeps readers safe; with these
// gone, pages see at once that there is no way, instead of waiting for one.

import { replaceProperty } from './storage.js'

const gone = [
  'RTCPeerConnection',
  'webkitRTCPeerConnection',
  'RTCDataChannel',
  'WebTransport',
  'PaymentRequest',
  'PresentationRequest',
  'fetchLater',
]

export function closeDoors() {
  for (const name of gone) {
    if (!(name in window)) continue
    try {
      Object.defineProperty(window, name, { value: undefined, configurable: false, writable: false })
    } catch {
      replaceProperty(window, name, undefined)
    }
  }
  replaceProperty(Navigator.prototype, 'sendBeacon', function sendBeacon() {
    return true
  })
  // What another archived site left in the name of this frame is none of this page's business.
  if (window.parent === window.top && window.name !== '') window.name = ''
}
