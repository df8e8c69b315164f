// The demo's page: draws the ring and the copies, lists peers and changes as they come, kills and starts peers, searches. What it asks
// for lies beside it, below the token in its address.

import { printBytes, printCount } from '../src/ui/markup/amounts.ts'
import { briefUrl } from '../src/ui/markup/readable-url.ts'
import type {
  DemoArc,
  DemoChange,
  DemoPeerState,
  DemoSite,
  DemoState,
} from '../src/ui/screens/demo/demo-state.ts'

const changesShown = 40
const radius = 150
const svgNamespace = 'http://www.w3.org/2000/svg'

let state: DemoState | undefined
/** Which peer readers are sent to. */
const readableAt = () => state?.peers.find(({ state }) => state === 'running')?.url

const events = new EventSource('events')
events.addEventListener('state', ({ data }) => show(JSON.parse(data) as DemoState))
events.addEventListener('change', ({ data }) => showChange(JSON.parse(data) as DemoChange))
events.addEventListener('error', () =>
  put('[data-health]', 'The demo has ended. Start it again: polyhistor demo'),
)

document.querySelector('[data-peers]')!.addEventListener('click', async ({ target }) => {
  const button = (target as Element).closest<HTMLButtonElement>('button[data-action]')
  const peer = button?.closest<HTMLElement>('[data-peer]')?.dataset.peer
  if (button == null || peer === undefined) return
  button.disabled = true
  await fetch(`peers/${peer}/${button.dataset.action}`, { method: 'POST' }).catch(() => undefined)
})

document.querySelector<HTMLFormElement>('[data-search]')!.addEventListener('submit', async (event) => {
  event.preventDefault()
  const words = String(new FormData(event.target as HTMLFormElement).get('q'))
  const answer = await fetch(`search?${new URLSearchParams({ q: words })}`)
  showHits((await answer.json()) as Found, words)
})

function show(next: DemoState): void {
  state = next
  for (const [number, peer] of next.peers.entries()) showPeer(peer, number)
  drawRing(next.arcs, next.sites)
  showCopies(next)
  showRanked(next)
  for (const [number, { live }] of next.sites.entries()) {
    const link = document.querySelector<HTMLAnchorElement>(`[data-archived="${number}"]`)!
    const at = readableAt()
    link.hidden = at === undefined
    if (at !== undefined) link.href = `${at}/web/*/${live}`
  }
}

function showPeer(
  { state: now, url, captures, bytesOnDisk, sitesCrawled }: DemoPeerState,
  number: number,
): void {
  const card = document.querySelector<HTMLElement>(`[data-peer="${number}"]`)!
  card.dataset.state = now
  put('[data-state]', now === 'down' ? 'killed' : now, card)
  const facts =
    captures === undefined
      ? ''
      : `${printCount(captures)} captures, ${printBytes(bytesOnDisk ?? 0)}; crawls ${printCount(sitesCrawled ?? 0)} ${sitesCrawled === 1 ? 'site' : 'sites'}`
  put('[data-facts]', facts, card)
  const isRunning = now === 'running'
  for (const button of card.querySelectorAll<HTMLButtonElement>('button')) {
    const starts = button.dataset.action === 'start'
    button.hidden = starts === isRunning || (starts && now === 'starting')
    if (!starts && !isRunning) button.hidden = now === 'down'
    button.disabled = starts ? now !== 'down' : !isRunning
  }
  const link = card.querySelector<HTMLAnchorElement>('[data-open]')!
  link.hidden = url === undefined || !isRunning
  if (url !== undefined) link.href = `${url}/`
}

function drawRing(arcs: readonly DemoArc[], sites: readonly DemoSite[]): void {
  const shapes: Element[] = [shape('circle', { r: String(radius), class: 'track' })]
  for (const { end, share, peer } of arcs) {
    const d = share >= 1 ? circle() : arc(end - share, end)
    shapes.push(shape('path', { d, class: `arc ${peer === undefined ? '' : `peer-${peer}`}` }))
  }
  for (const { title, place, owner } of sites) {
    if (place === undefined) continue
    const [x, y] = point(place, radius)
    shapes.push(
      shape('circle', { cx: x, cy: y, r: '8', class: `site ${owner === undefined ? '' : `peer-${owner}`}` }),
    )
    const [labelX, labelY] = point(place, radius + 20)
    const anchor = Math.abs(Number(labelX)) < 40 ? 'middle' : Number(labelX) > 0 ? 'start' : 'end'
    const label = shape('text', { x: labelX, y: labelY, 'text-anchor': anchor })
    label.textContent = title
    shapes.push(label)
  }
  document.querySelector('[data-ring]')!.replaceChildren(...shapes)
}

function shape(name: string, attributes: Record<string, string>): Element {
  const element = document.createElementNS(svgNamespace, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  return element
}

/** Clockwise from the top. */
function point(turn: number, at: number): [string, string] {
  const angle = turn * 2 * Math.PI
  return [(Math.sin(angle) * at).toFixed(1), (-Math.cos(angle) * at).toFixed(1)]
}

function arc(from: number, to: number): string {
  const isLarge = to - from > 0.5 ? 1 : 0
  return `M${point(from, radius).join(' ')}A${radius} ${radius} 0 ${isLarge} 1 ${point(to, radius).join(' ')}`
}

function circle(): string {
  return `M0 ${-radius}A${radius} ${radius} 0 1 1 -0.1 ${-radius}`
}

function showCopies({ histogram, copiesWanted, peers }: DemoState): void {
  const total = histogram.reduce((sum, count) => sum + count, 0)
  const few = histogram.slice(0, copiesWanted).reduce((sum, count) => sum + count, 0)
  const lost = histogram[0] ?? 0
  const down = peers.filter(({ state }) => state === 'down').length
  put('[data-health]', health(total, few, lost, copiesWanted, down))
  const bars = histogram.map((count, copies) => {
    const bar = document.createElement('span')
    bar.className = copies < copiesWanted ? 'few' : 'enough'
    bar.textContent = count === 0 ? '' : `${printCount(count)} with ${copies}`
    bar.style.flexGrow = String(count)
    bar.hidden = count === 0
    return bar
  })
  document.querySelector('[data-copies]')!.replaceChildren(...bars)
}

function health(total: number, few: number, lost: number, wanted: number, down: number): string {
  if (total === 0) return 'Nothing is archived yet.'
  if (lost > 0) return `${printCount(lost)} captures cannot be read until a peer is back.`
  if (few === 0) return `All ${printCount(total)} captures have ${wanted} copies or more.`
  const cause = down > 0 ? 'A peer is missing' : 'Copies are being made'
  return `${cause}: ${printCount(few)} of ${printCount(total)} captures have fewer than ${wanted} copies. All of them can be read.`
}

function showChange({ kind, url, title, time, cosmetic, wordShare, from }: DemoChange): void {
  const item = document.createElement('li')
  if (cosmetic) item.className = 'cosmetic'
  const share =
    wordShare === undefined || kind !== 'changed' ? '' : `, ${(wordShare * 100).toFixed(0)} % of its words`
  const what = document.createElement('strong')
  what.textContent = kind
  const link = document.createElement('a')
  link.textContent = title ?? briefUrl(url)
  const at = readableAt()
  if (at !== undefined) link.href = `${at}/web/${time.replace(/\D/g, '').slice(0, 14)}/${url}`
  item.append(what, ' ', link, cosmetic ? ' (only what differs at every visit)' : share)
  const list = document.querySelector('[data-changes]')!
  list.prepend(item)
  while (list.childElementCount > changesShown) list.lastElementChild!.remove()
  put(
    '[data-reader]',
    `One consumer reads the stream, now from ${from}. When that one is killed it goes on at another, and misses nothing.`,
  )
}

interface Found {
  readonly message?: string
  readonly peer?: string
  readonly at?: string
  readonly total?: number
  readonly hits?: readonly { readonly url: string; readonly title: string; readonly time: string }[]
}

function showHits({ message, peer, at, total = 0, hits = [] }: Found, words: string): void {
  const head = document.createElement('li')
  head.className = 'note'
  head.textContent =
    message ?? `${peer} found ${printCount(total)} ${total === 1 ? 'page' : 'pages'} with “${words}”.`
  const items = hits.map(({ url, title, time }) => {
    const item = document.createElement('li')
    const link = document.createElement('a')
    link.textContent = title || briefUrl(url)
    link.href = `${at}/web/${time.replace(/\D/g, '').slice(0, 14)}/${url}`
    item.append(link)
    return item
  })
  document.querySelector('[data-hits]')!.replaceChildren(head, ...items)
}

function showRanked({ ranked }: DemoState): void {
  if (ranked.length === 0) return
  const items = ranked.map(({ url, score }) => {
    const item = document.createElement('li')
    item.textContent = `${briefUrl(url)} ${(score * 100).toFixed(1)} %`
    return item
  })
  document.querySelector('[data-ranked]')!.replaceChildren(...items)
}

function put(selector: string, text: string, within: ParentNode = document): void {
  const element = within.querySelector(selector)!
  if (element.textContent !== text) element.textContent = text
}
