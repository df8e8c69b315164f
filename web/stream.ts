// The stream view: follows /api/v1/changes, shows the newest events and how many come. Bounded: events beyond the list's end are
// counted and forgotten; while it is paused nothing is drawn, and the newest that came are there when it goes on.

import { changeKindWords } from '../src/ui/console/change-kinds.ts'
import { printBytes, printCount, printDecimal } from '../src/ui/markup/amounts.ts'
import { type Html, html } from '../src/ui/markup/html.ts'
import { versionPath } from '../src/ui/markup/links.ts'
import { briefUrl } from '../src/ui/markup/readable-url.ts'
import { sharedTexts } from '../src/ui/texts/shared.ts'
import { streamTexts } from '../src/ui/texts/stream.ts'
import { say } from './reader.ts'

interface ChangeEvent {
  readonly id: string
  readonly kind: string
  readonly url: string
  readonly site: string
  readonly time: string
  readonly cosmetic: boolean
  readonly status?: number
  readonly bytes?: number
  readonly wordShare?: number
}

const width = 640
const height = 160
const seconds = 120
const linesMax = 200
/** The rate is that of so many seconds. */
const smoothedSeconds = 5
const hourMs = 3_600_000

const form = document.querySelector<HTMLFormElement>('[data-stream]')!
const list = document.querySelector<HTMLElement>('[data-events]')!
const figure = document.querySelector<HTMLElement>('[data-rates]')!
const pause = document.querySelector<HTMLButtonElement>('[data-pause]')!
const slots: number[] = Array.from({ length: seconds }, () => 0)
const kinds = new Map<string, number>()
/** Come since the list was drawn, oldest first. */
let waiting: ChangeEvent[] = []
let total = 0
let isPaused = false
let source: EventSource | undefined

form.addEventListener('submit', (event) => {
  event.preventDefault()
  follow()
})
for (const field of form.querySelectorAll('select, [type="checkbox"]'))
  field.addEventListener('change', follow)
pause.addEventListener('click', () => {
  isPaused = !isPaused
  pause.setAttribute('aria-pressed', String(isPaused))
  pause.textContent = say(isPaused ? sharedTexts.goOn : sharedTexts.pause)
  if (!isPaused) draw()
})
setInterval(() => {
  if (!document.hidden && !isPaused) draw()
  slots.push(0)
  slots.shift()
}, 1_000)
follow()

function follow(): void {
  source?.close()
  const query = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (value !== '') query.set(name, String(value))
  if (!query.has('cosmetic')) query.set('cosmetic', 'false')
  if (query.get('since') === 'hour') query.set('since', new Date(Date.now() - hourMs).toISOString())
  list.replaceChildren()
  waiting = []
  total = 0
  kinds.clear()
  put('state', streamTexts.following)
  source = new EventSource(`${form.dataset.stream}?${query}`)
  source.addEventListener('error', () => {
    const isOver = source?.readyState === EventSource.CLOSED
    put('state', isOver ? streamTexts.refused : streamTexts.cutOff)
  })
  source.addEventListener('message', ({ data }) => take(JSON.parse(data) as ChangeEvent))
  source.addEventListener('gap', () => put('state', streamTexts.gap))
}

function take(event: ChangeEvent): void {
  total++
  slots[slots.length - 1]!++
  kinds.set(event.kind, (kinds.get(event.kind) ?? 0) + 1)
  waiting.push(event)
  if (waiting.length > linesMax) waiting.shift()
  if (isPaused)
    put(
      'state',
      (waiting.length === linesMax ? streamTexts.pausedMore : streamTexts.paused)({
        number: waiting.length,
      }),
    )
}

function draw(): void {
  list.prepend(...waiting.map(line).reverse())
  waiting = []
  while (list.childElementCount > linesMax) list.lastElementChild!.remove()
  if (source?.readyState !== EventSource.CLOSED)
    put('state', total === 0 ? streamTexts.nothingChanged : streamTexts.followed({ number: total }))
  plot()
}

function plot(): void {
  const rates = slots.map((_, index) => {
    const near = slots.slice(Math.max(0, index - smoothedSeconds + 1), index + 1)
    return near.reduce((sum, count) => sum + count, 0) / smoothedSeconds
  })
  const most = Math.max(...rates)
  figure.classList.toggle('idle', most === 0)
  const top = Math.max(1, most) * 1.1
  const points = rates.map(
    (rate, index) =>
      `${((index * width) / (seconds - 1)).toFixed(1)} ${(height - 1 - (rate / top) * (height - 8)).toFixed(1)}`,
  )
  const drawn = `M${points.join('L')}`
  figure.querySelector('.line')!.setAttribute('d', drawn)
  figure.querySelector('.area')!.setAttribute('d', `${drawn}L${width} ${height}L0 ${height}Z`)
  put(
    'rate',
    total === 0
      ? streamTexts.noEvents
      : streamTexts.rate({ now: printDecimal(rates.at(-1)!, 1), most: printDecimal(most, 1) }),
  )
  put(
    'kinds',
    html`${[...kinds].map(([kind, count], index) => html`${index === 0 ? '' : ', '}${printCount(count)} ${kindWords(kind)}`)}`,
  )
}

function line({ kind, url, time, cosmetic, status, bytes, wordShare }: ChangeEvent): HTMLElement {
  const row = document.createElement('li')
  row.append(part('kind', say(kindWords(kind)), kind))
  const link = document.createElement('a')
  link.href = versionPath(Date.parse(time), url)
  link.className = 'url'
  link.title = url
  link.textContent = briefUrl(url)
  row.append(link)
  const facts = [
    time.slice(11, 19),
    ...(status === undefined ? [] : [String(status)]),
    ...(bytes === undefined ? [] : [say(printBytes(bytes))]),
    ...(wordShare === undefined ? [] : [say(streamTexts.ofWords({ number: Math.round(100 * wordShare) }))]),
    ...(cosmetic ? [say(streamTexts.cosmeticMark)] : []),
  ]
  row.append(part('note', facts.join(' · ')))
  return row
}

function kindWords(kind: string): Html {
  return (changeKindWords as Readonly<Record<string, Html>>)[kind] ?? html`${kind}`
}

function part(name: string, text: string, more = ''): HTMLElement {
  const span = document.createElement('span')
  span.className = `${name} ${more}`.trim()
  span.textContent = text
  return span
}

function put(name: string, words: Html): void {
  const text = say(words)
  const place = document.querySelector(`[data-value="${name}"]`)!
  if (place.textContent !== text) place.textContent = text
}
