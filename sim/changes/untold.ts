// Untold: what the archive keeps of a page and no event told a consumer of, with what is needed to find out why: who keeps it, who
// asked for it when, and what was told of its page.

import { wallStartMs } from '../../src/platform/simulated/clock.ts'
import type { Capture } from '../../src/store/capture.ts'
import { printContentKey } from '../../src/store/contents/content-key.ts'
import type { WholeNetwork } from '../peer/whole-network.ts'
import type { EventLedger } from './event-ledger.ts'

/** Requests of the page that are told around the one that brought it. */
const besideMax = 3

/** Empty when all was told. */
export function untold(network: WholeNetwork, ledger: EventLedger): string[] {
  const told = new Set(ledger.events.map(({ url, digest }) => `${url} ${digest}`))
  const lack = new Map<string, { capture: Capture; keptBy: string[] }>()
  for (const { name, store } of network.peers)
    for (const capture of store.scan({ kind: 'all' })) {
      const content = contentOf(capture)
      if (content === undefined || told.has(content)) continue
      const known = lack.get(content)
      if (known === undefined) lack.set(content, { capture, keptBy: [name] })
      else if (!known.keptBy.includes(name)) known.keptBy.push(name)
    }
  return [...lack].map(
    ([content, { capture, keptBy }]) =>
      `${content} of ${timeOf(capture.capturedAtMs)} is kept by ${keptBy.join(', ')}; asked for by ${askedBy(network, capture)}; told of its page: ${toldOf(ledger, capture)}`,
  )
}

function contentOf({ status, content, url }: Capture): string | undefined {
  if (status !== 200 || content === undefined || url.endsWith('robots.txt')) return undefined
  return `${url} ${printContentKey(content)}`
}

function askedBy({ web }: WholeNetwork, { url, capturedAtMs }: Capture): string {
  const atMs = capturedAtMs - wallStartMs
  const arrivals = web.arrivals.filter(({ host, path }) => `http://${host}${path}` === url)
  const next = arrivals.findIndex(({ startMs }) => startMs >= atMs)
  const first = Math.max(0, (next === -1 ? arrivals.length : next) - besideMax)
  return arrivals
    .slice(first, first + 2 * besideMax)
    .map(({ peer, startMs, endMs }) => `${peer} ${seconds(startMs)}-${seconds(endMs ?? Number.NaN)}`)
    .join(', ')
}

function toldOf(ledger: EventLedger, { url }: Capture): string {
  return ledger.events
    .filter((event) => event.url === url)
    .map(
      ({ kind, time, sequence, epoch }) => `${sequence} ${kind} ${timeOf(Date.parse(time))} (epoch ${epoch})`,
    )
    .join(', ')
}

function timeOf(wallMs: number): string {
  return seconds(wallMs - wallStartMs)
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3)
}
