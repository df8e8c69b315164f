// What the console tells of the network and of a peer, and what can be done to them.

import type { NetworkStatus, PeerStatus } from '../../model/peer-status.ts'
import { stateOf } from '../../model/peer-status.ts'
import { plural, printBytes, printCount } from '../markup/amounts.ts'
import { momentElement } from '../markup/dates.ts'
import { printDuration } from '../markup/duration.ts'
import { type Html, html, nothing } from '../markup/html.ts'
import { actionButton, actionField, dangerous } from './action-forms.ts'
import { peerName } from './branches.ts'
import { factList } from './figures.ts'
import { nodeQuery } from './node.ts'

export function networkFacts({
  network,
  peers,
  away,
  sums,
  copiesWanted,
  lacks,
  warnings,
}: NetworkStatus): Html {
  const answered = peers.flatMap(({ status }) => (status === undefined ? [] : [status]))
  const isAlone = network.kind === 'alone'
  return html`<h2>${isAlone ? 'This archive' : `Network ${network.name}`}</h2>
${warnings.map((warning) => html`<p class="trouble"><strong>Look at this:</strong> ${warning}</p>`)}
${lacks.map((lack) => html`<p class="trouble"><strong>The network lacks:</strong> ${lack}</p>`)}
${factList([
  ['peers that answer', isAlone ? undefined : `${answered.length} of ${peers.length + away.length}`],
  ['captures', printCount(answered.reduce((sum, { captures }) => sum + captures, 0))],
  ['on disk', printBytes(answered.reduce((sum, { bytesOnDisk }) => sum + bytesOnDisk, 0))],
  [
    'sites crawled',
    isAlone ? undefined : printCount(answered.reduce((sum, { sites }) => sum + sites.crawled, 0)),
  ],
  ['copies wanted', isAlone ? undefined : copiesWanted],
  ['entries to copy', isAlone ? undefined : printCount(sums.queue)],
  ['links waiting', isAlone ? undefined : printCount(sums.links.waiting)],
])}
${actionField({ action: 'add-site', label: 'Add', of: {}, back: '' }, { name: 'url', label: 'Add a site', placeholder: 'example.org' })}
<p class="note">It is crawled whole, and kept fresh from then on, by the peer that the ring names for it. Rules for many sites at once: <a href="/rules">Rules</a>.</p>`
}

export function peerFacts(
  peer: string,
  status: PeerStatus | undefined,
  { away, network }: NetworkStatus,
  self: string,
): Html {
  const missed = away.find((other) => other.peer === peer)
  const heading = html`<h2>Peer ${peerName(peer, self)}</h2>${peer === '' ? nothing : html`<p class="note"><code>${peer}</code></p>`}`
  if (missed !== undefined)
    return html`${heading}<p class="trouble">Away since ${momentElement(missed.sinceMs)}; it is waited for until ${momentElement(missed.untilMs)}.</p>
<p class="note">When it will not come back: <code>polyhistor forget ${peer.slice(-12)}</code>.</p>`
  if (status === undefined) return html`${heading}<p class="trouble">It does not answer.</p>`
  return html`${heading}${factList(statusFacts(status, network.kind === 'alone'))}
${peer === self ? ownActions(network.kind === 'alone', nodeQuery({ kind: 'peer', peer })) : html`<p class="note">A peer is restarted and drained in its own console, by its own keeper. What concerns sites holds on all peers, wherever it is said.</p>`}`
}

function statusFacts(status: PeerStatus, isAlone: boolean) {
  const { captures, bytesOnDisk, copies, sites, links, share, machine, soundness } = status
  const memory =
    machine &&
    `${printBytes(machine.memoryBytes)}; ${printBytes(machine.freeMemoryBytes)} of the machine free`
  return [
    ['state', stateOf(status)],
    ['version', machine?.version],
    ['up for', machine && printDuration(machine.upMs)],
    ['load', machine && `${machine.load.toFixed(2)} on ${plural(machine.cores, 'core')}`],
    ['memory', memory],
    [
      'disk',
      isAlone
        ? printBytes(bytesOnDisk)
        : `${printBytes(share.usedBytes)} of ${printBytes(share.shareBytes)} given`,
    ],
    ['positions on the ring', isAlone ? undefined : machine?.positions],
    ['captures', printCount(captures)],
    ['sites crawled', isAlone ? undefined : printCount(sites.crawled)],
    ['frontiers kept for others', isAlone ? undefined : printCount(sites.kept)],
    ['entries to copy', isAlone ? undefined : printCount(copies.queue)],
    ['links waiting', isAlone ? undefined : printCount(links.waiting)],
    ['rotten records', `${printCount(soundness.found)} found, ${printCount(soundness.mended)} mended`],
    ['browser', status.browser],
  ] as const
}

function ownActions(isAlone: boolean, back: string): Html {
  return html`<div class="console-actions">${dangerous(
    'Restart this peer',
    'It ends what is under way, and comes back in some seconds at the same address, with the settings as they are written now.',
    actionButton({ action: 'restart', label: 'Restart now', of: {}, back }),
  )}${
    isAlone
      ? nothing
      : dangerous(
          'Drain this peer',
          'Crawling ends here, everything is handed over to the other peers, and then this one leaves the network for good. Until it is done that can be undone; what was handed over by then stays with the others.',
          actionButton({ action: 'drain', label: 'Hand everything over and leave', of: {}, back }),
        )
  }</div>`
}
