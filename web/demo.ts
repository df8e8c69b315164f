// The demo's page: draws the ring and the copies, lists peers and changes as they come, kills and starts peers, searches. What it asks
// for lies beside it, below the token in its address.

import { printBytes } from '../src/ui/markup/amounts.ts'
import { type Html, html } from '../src/ui/markup/html.ts'
import { briefUrl } from '../src/ui/markup/readable-url.ts'
import type {
  DemoArc,
  DemoChange,
  DemoPeerState,
  DemoSite,
  DemoState,
} from '../src/ui/screens/demo/demo-state.ts'

import { demoTexts } from '../src/ui/texts/demo.ts'
import { locale, say } from './reader.ts'

const states = {
  starting: demoTexts.stateStarting,
  running: demoTexts.stateRunning,
  down: demoTexts.stateDown,
} as const
const kinds: Readonly<Record<string, Html>> = {
  new: demoTexts.kindNew,
  changed: demoTexts.kindChanged,
  moved: demoTexts.kindMoved,
  gone: demoTexts.kindGone,
  back: demoTexts.kindBack,
}
const changesShown = 40
const radius = 150
const svgNamespace = 'http://www.w3.org/2000/svg'

let state: DemoState | undefined
/** Which peer readers are sent to. */
const readableAt = () => state?.peers.find(({ state }) => state === 'running')?.url

const events = new EventSource('events')
events.addEventListener('state', ({ data }) => show(JSON.parse(data) as DemoState))
events.addEventListener('change', ({ data }) => showChange(JSON.parse(data) as DemoChange))
events.addEventListener('error', () => put('[data-health]', say(demoTexts.ended)))

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
  put('[data-state]', say(states[now]), card)
  const facts =
    captures === undefined
      ? ''
      : say(demoTexts.facts({ captures, bytes: printBytes(bytesOnDisk ?? 0), count: sitesCrawled ?? 0 }))
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
    bar.textContent = count === 0 ? '' : say(demoTexts.withCopies({ number: count, copies }))
    bar.style.flexGrow = String(count)
    bar.hidden = count === 0
    return bar
  })
  document.querySelector('[data-copies]')!.replaceChildren(...bars)
}

function health(total: number, few: number, lost: number, wanted: number, down: number): string {
  if (total === 0) return say(demoTexts.nothingYet)
  if (lost > 0) return say(demoTexts.lost({ number: lost }))
  if (few === 0) return say(demoTexts.enough({ number: total, wanted }))
  return say((down > 0 ? demoTexts.peerMissing : demoTexts.copying)({ few, number: total, wanted }))
}

function showChange({ kind, url, title, time, cosmetic, wordShare, from }: DemoChange): void {
  const item = document.createElement('li')
  if (cosmetic) item.className = 'cosmetic'
  const share =
    wordShare === undefined || kind !== 'changed'
      ? ''
      : say(demoTexts.ofItsWords({ share: Math.round(wordShare * 100) }))
  const what = document.createElement('strong')
  what.textContent = say(kinds[kind] ?? html`${kind}`)
  const link = document.createElement('a')
  link.textContent = title ?? briefUrl(url)
  const at = readableAt()
  if (at !== undefined) link.href = `${at}/web/${time.replace(/\D/g, '').slice(0, 14)}/${url}`
  item.append(what, ' ', link, cosmetic ? say(demoTexts.cosmetic) : share)
  const list = document.querySelector('[data-changes]')!
  list.prepend(item)
  while (list.childElementCount > changesShown) list.lastElementChild!.remove()
  put('[data-reader]', say(demoTexts.readerAt({ peer: from })))
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
  head.textContent = message ?? say(demoTexts.found({ peer, count: total, words }))
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
    item.textContent = `${briefUrl(url)} ${locale.decimal(score * 100, 1)} %`
    return item
  })
  document.querySelector('[data-ranked]')!.replaceChildren(...items)
}

function put(selector: string, text: string, within: ParentNode = document): void {
  const element = within.querySelector(selector)!
  if (element.textContent !== text) element.textContent = text
}
