// What the console tells of the network and of a peer, and what can be done to them.

import type { MachineStatus, NetworkStatus, PeerStatus } from '../../model/peer-status.ts'
import { printBytes, printCount, printDecimal, printDuration } from '../markup/amounts.ts'
import { momentElement } from '../markup/dates.ts'
import { type Html, html, inEnglish, nothing } from '../markup/html.ts'
import { peerState } from '../screens/status/peer-state.ts'
import { consoleTexts } from '../texts/console.ts'
import { statusTexts } from '../texts/status.ts'
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
  return html`<h2>${isAlone ? consoleTexts.thisArchive : consoleTexts.network({ name: network.name })}</h2>
${warnings.map((warning) => html`<p class="trouble">${statusTexts.lookAtThis({ warning: inEnglish(warning) })}</p>`)}
${lacks.map((lack) => html`<p class="trouble">${statusTexts.lacks({ lack: inEnglish(lack) })}</p>`)}
${factList([
  [
    consoleTexts.peersAnswering,
    isAlone ? undefined : consoleTexts.partOf({ part: answered.length, whole: peers.length + away.length }),
  ],
  [statusTexts.captures, printCount(answered.reduce((sum, { captures }) => sum + captures, 0))],
  [statusTexts.onDisk, printBytes(answered.reduce((sum, { bytesOnDisk }) => sum + bytesOnDisk, 0))],
  [
    statusTexts.sitesCrawled,
    isAlone ? undefined : printCount(answered.reduce((sum, { sites }) => sum + sites.crawled, 0)),
  ],
  [consoleTexts.copiesWanted, isAlone ? undefined : copiesWanted],
  [statusTexts.entriesToCopy, isAlone ? undefined : printCount(sums.queue)],
  [statusTexts.linksWaiting, isAlone ? undefined : printCount(sums.links.waiting)],
])}
${actionField({ action: 'add-site', label: consoleTexts.add, of: {}, back: '' }, { name: 'url', label: consoleTexts.addSite, placeholder: 'example.org' })}
<p class="note">${consoleTexts.addNote({ rules: (words) => html`<a href="/rules">${words}</a>` })}</p>`
}

export function peerFacts(
  peer: string,
  status: PeerStatus | undefined,
  { away, network }: NetworkStatus,
  self: string,
): Html {
  const missed = away.find((other) => other.peer === peer)
  const heading = html`<h2>${consoleTexts.peerHead({ peer: peerName(peer, self) })}</h2>${peer === '' ? nothing : html`<p class="note"><code>${peer}</code></p>`}`
  if (missed !== undefined)
    return html`${heading}<p class="trouble">${consoleTexts.awaySince({ since: momentElement(missed.sinceMs), until: momentElement(missed.untilMs) })}</p>
<p class="note">${consoleTexts.forget({ command: html`<code>polyhistor forget ${peer.slice(-12)}</code>` })}</p>`
  if (status === undefined) return html`${heading}<p class="trouble">${consoleTexts.doesNotAnswer}</p>`
  return html`${heading}${factList(statusFacts(status, network.kind === 'alone'))}
${peer === self ? ownActions(network.kind === 'alone', nodeQuery({ kind: 'peer', peer })) : html`<p class="note">${consoleTexts.ownKeeper}</p>`}`
}

function statusFacts(status: PeerStatus, isAlone: boolean) {
  const { captures, bytesOnDisk, copies, sites, links, share, machine, soundness } = status
  const memory =
    machine &&
    consoleTexts.memoryOf({
      used: printBytes(machine.memoryBytes),
      free: printBytes(machine.freeMemoryBytes),
    })
  return [
    [statusTexts.state, peerState(status)],
    [consoleTexts.version, machine?.version],
    [consoleTexts.upFor, machine && printDuration(machine.upMs)],
    [
      consoleTexts.load,
      machine && consoleTexts.loadOn({ count: machine.cores, load: printDecimal(machine.load, 2) }),
    ],
    [consoleTexts.memory, memory],
    [
      statusTexts.disk,
      isAlone
        ? printBytes(bytesOnDisk)
        : consoleTexts.given({ used: printBytes(share.usedBytes), whole: printBytes(share.shareBytes) }),
    ],
    [consoleTexts.positions, isAlone ? undefined : positionsOf(machine)],
    [statusTexts.captures, printCount(captures)],
    [statusTexts.sitesCrawled, isAlone ? undefined : printCount(sites.crawled)],
    [consoleTexts.frontiers, isAlone ? undefined : printCount(sites.kept)],
    [statusTexts.entriesToCopy, isAlone ? undefined : printCount(copies.queue)],
    [statusTexts.linksWaiting, isAlone ? undefined : printCount(links.waiting)],
    [consoleTexts.rotten, consoleTexts.rottenOf({ found: soundness.found, mended: soundness.mended })],
    [consoleTexts.browser, status.browser],
  ] as const
}

function positionsOf(machine: MachineStatus | undefined) {
  if (machine?.share === undefined) return machine?.positions
  const { positions, share, placesMoved = 0 } = machine
  return consoleTexts.positionsOf({
    positions: printCount(positions),
    share: printCount(share),
    moved: printCount(placesMoved),
  })
}

function ownActions(isAlone: boolean, back: string): Html {
  return html`<div class="console-actions">${dangerous(
    consoleTexts.restart,
    consoleTexts.restartWords,
    actionButton({ action: 'restart', label: consoleTexts.restartNow, of: {}, back }),
  )}${
    isAlone
      ? nothing
      : dangerous(
          consoleTexts.drain,
          consoleTexts.drainWords,
          actionButton({ action: 'drain', label: consoleTexts.drainNow, of: {}, back }),
        )
  }</div>`
}
