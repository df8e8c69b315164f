// How a peer is, in a few words and in the reader's language: on the status page and in the console.

import { type PeerStatus, stateOf } from '../../../model/peer-status.ts'
import { type Html, html } from '../../markup/html.ts'
import { statusTexts } from '../../texts/status.ts'

const states: Readonly<Record<string, Html>> = {
  well: statusTexts.stateWell,
  filling: statusTexts.stateFilling,
  full: statusTexts.stateFull,
  'missing captures': statusTexts.stateMissing,
  'mass removal': statusTexts.stateRemoval,
  'unreadable takedowns': statusTexts.stateTakedowns,
}

export function peerState(status: PeerStatus): Html {
  const state = stateOf(status)
  return states[state] ?? html`${state}`
}
