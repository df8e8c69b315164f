// Branches: what lies in a node of the tree, a page of it at a time.

import type { Console } from '../../console/console.ts'
import { PolyhistorError } from '../../errors.ts'
import type { NetworkStatus } from '../../model/peer-status.ts'
import { stateOf } from '../../model/peer-status.ts'
import { type Html, html } from '../markup/html.ts'
import { peerState } from '../screens/status/peer-state.ts'
import { consoleTexts } from '../texts/console.ts'
import { sharedTexts } from '../texts/shared.ts'
import { visitsTexts } from '../texts/visits.ts'
import { visitStates } from './console-words.ts'
import type { ConsoleNode, PeerNode, QueueNode, SiteNode } from './node.ts'

export interface BranchItem {
  readonly node: ConsoleNode
  readonly label: Html | string
  /** What stands beside its name. */
  readonly facts: Html | string
  readonly isUrl?: boolean
  /** Nothing lies in it. */
  readonly isLeaf?: boolean
  readonly tone?: 'good' | 'waiting' | 'bad' | undefined
}

export interface Branch {
  readonly items: readonly BranchItem[]
  /** Where the next page begins. */
  readonly next: string | undefined
  /** Why nothing can be told. */
  readonly trouble?: string | undefined
}

const pageRows = 100
const peersShown = 200

export async function branchOf(console: Console, node: ConsoleNode, after?: string): Promise<Branch> {
  try {
    switch (node.kind) {
      case 'network':
        return peersOf(await console.status(), console.self)
      case 'peer':
        return await sitesOf(console, node, after)
      case 'site':
        return await queuesOf(console, node, after)
      case 'queue':
        return await urlsOf(console, node, after)
      case 'url':
        return { items: [], next: undefined }
    }
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
    return { items: [], next: undefined, trouble: error.message }
  }
}

export function peerName(peer: string, self: string): Html {
  if (peer === self)
    return peer === '' ? consoleTexts.thisPeer : consoleTexts.thisOne({ peer: peer.slice(-8) })
  return html`…${peer.slice(-8)}`
}

function peersOf({ peers, away }: NetworkStatus, self: string): Branch {
  const present = peers.slice(0, peersShown).map(
    ({ peer, status }): BranchItem => ({
      node: { kind: 'peer', peer },
      label: peerName(peer, self),
      facts: status === undefined ? sharedTexts.noAnswer : peerState(status),
      tone: status === undefined ? 'bad' : stateOf(status) === 'well' ? 'good' : 'waiting',
    }),
  )
  const missed = away.slice(0, peersShown).map(
    ({ peer }): BranchItem => ({
      node: { kind: 'peer', peer },
      label: peerName(peer, self),
      facts: consoleTexts.away,
      isLeaf: true,
      tone: 'bad',
    }),
  )
  return { items: [...present, ...missed], next: undefined }
}

async function sitesOf(console: Console, { peer }: PeerNode, after: string | undefined): Promise<Branch> {
  const { rows, next } = await console.survey(peer).sites({ after, limit: pageRows })
  const items = rows.map(
    ({ key, site, isCrawled, pages, queued }): BranchItem => ({
      node: { kind: 'site', peer, key, site },
      label: site,
      facts: html`${sharedTexts.pages({ count: pages })}${queued === 0 ? '' : html`, ${consoleTexts.queued({ number: queued })}`}`,
      tone: isCrawled ? 'good' : 'waiting',
    }),
  )
  return { items, next }
}

async function queuesOf(console: Console, node: SiteNode, after: string | undefined): Promise<Branch> {
  const { peer, key, site } = node
  const { rows, next } = await console.survey(peer).queues(key, { after, limit: pageRows })
  const fresh: BranchItem = {
    node: { kind: 'queue', peer, key, site, queue: undefined },
    label: consoleTexts.keptFresh,
    facts: '',
  }
  const items = rows.map(
    ({ job, host, pending, taken, state }): BranchItem => ({
      node: { kind: 'queue', peer, key, site, queue: { job, host } },
      label: host,
      facts: (state === 'held' ? consoleTexts.waitHeld : consoleTexts.wait)({ pending, taken }),
      tone: state === 'empty' ? 'good' : state === 'held' ? 'bad' : 'waiting',
      isLeaf: pending === 0,
    }),
  )
  return { items: after === undefined ? [fresh, ...items] : items, next }
}

async function urlsOf(console: Console, node: QueueNode, after: string | undefined): Promise<Branch> {
  const { queue, key } = node
  const survey = console.survey(node.peer)
  const question = { after, limit: pageRows }
  if (queue === undefined) {
    const { rows, next } = await survey.visits(key, question)
    const items = rows.map(
      ({ url, state, failures }): BranchItem => ({
        node: { ...node, kind: 'url', url },
        label: url,
        facts: failures > 0 ? visitsTexts.failed({ count: failures }) : (visitStates[state] ?? state),
        isUrl: true,
        isLeaf: true,
        tone: failures > 0 ? 'bad' : 'good',
      }),
    )
    return { items, next }
  }
  const { rows, next } = await survey.queued(key, queue, question)
  const items = rows.map(
    ({ url, kind, depth, attempt }): BranchItem => ({
      node: { ...node, kind: 'url', url },
      label: url,
      facts: html`${consoleTexts.depth({ kind, depth })}${attempt > 0 ? html`, ${consoleTexts.tried({ count: attempt })}` : ''}`,
      isUrl: true,
      isLeaf: true,
      tone: attempt > 0 ? 'bad' : 'waiting',
    }),
  )
  return { items, next }
}
