// Status: the crawl rate of the last two minutes as a live plot.

import { printBytes, printCount, printDecimal, printShare } from '../src/ui/markup/amounts.ts'
import { type Html, html, nothing } from '../src/ui/markup/html.ts'
import { crawlRateTexts } from '../src/ui/texts/crawl-rate.ts'
import { say } from './reader.ts'

const width = 640
const height = 160
const seconds = 120
/** The rate is that of so many seconds, so that the line does not jump. */
const smoothedSeconds = 5
const figuresSeconds = 5

interface Slot {
  fetched: number
  bytes: number
}

const figures = document.querySelector<HTMLElement>('[data-stats]')!
const figure = document.querySelector<HTMLElement>('.plot')!
const slots: Slot[] = Array.from({ length: seconds }, () => ({ fetched: 0, bytes: 0 }))
const calm = matchMedia('(prefers-reduced-motion: reduce)')
let ticks = 0

const events = new EventSource(figure.dataset.events!)
events.addEventListener('url', ({ data }) => {
  const { outcome, bytes = 0 }: { outcome: string; bytes?: number } = JSON.parse(data)
  if (outcome === 'retry' || outcome === 'refused') return
  const now = slots.at(-1)!
  now.fetched++
  now.bytes += bytes
})
events.addEventListener('missed', ({ data }) => {
  slots.at(-1)!.fetched += Number(JSON.parse(data).events) || 0
})

setInterval(() => {
  ticks++
  if (!document.hidden && (!calm.matches || ticks % 10 === 0)) draw()
  if (!document.hidden && ticks % figuresSeconds === 0) void renewFigures()
  slots.push({ fetched: 0, bytes: 0 })
  slots.shift()
}, 1_000)

function draw(): void {
  const rates = slots.map((_, index) => rateAt(index))
  const top = Math.max(1, ...rates.map(({ fetched }) => fetched)) * 1.1
  const points = rates.map(({ fetched }, index) => {
    const x = (index * width) / (seconds - 1)
    return `${x.toFixed(1)} ${(height - 1 - (fetched / top) * (height - 8)).toFixed(1)}`
  })
  const line = `M${points.join('L')}`
  figure.querySelector('.line')!.setAttribute('d', line)
  figure.querySelector('.area')!.setAttribute('d', `${line}L${width} ${height}L0 ${height}Z`)
  const most = Math.max(...rates.map(({ fetched }) => fetched))
  figure.classList.toggle('idle', most === 0)
  if (most === 0) {
    put('rate', crawlRateTexts.nothingFetched)
    put('span', nothing)
    return
  }
  const now = rates.at(-1)!
  put('rate', crawlRateTexts.rate({ pages: printDecimal(now.fetched, 1), bytes: printBytes(now.bytes) }))
  put('span', crawlRateTexts.rateSpan({ most: printDecimal(most, 1) }))
}

/** As /api/v1/stats gives them. */
interface Stats {
  readonly captures: number
  readonly distinctPayloads: number
  readonly bytes: { readonly original: number; readonly onDisk: number }
}

async function renewFigures(): Promise<void> {
  const answer = await fetch(figures.dataset.stats!).catch(() => undefined)
  if (!answer?.ok) return
  const { captures, distinctPayloads, bytes }: Stats = await answer.json()
  put('captures', printCount(captures), figures)
  put('contents', printCount(distinctPayloads), figures)
  put('on-disk', printBytes(bytes.onDisk), figures)
  put('saved', html`${printShare(Math.max(0, bytes.original - bytes.onDisk), bytes.original)}`, figures)
}

function rateAt(index: number): Slot {
  const near = slots.slice(Math.max(0, index - smoothedSeconds + 1), index + 1)
  return {
    fetched: near.reduce((sum, slot) => sum + slot.fetched, 0) / smoothedSeconds,
    bytes: near.reduce((sum, slot) => sum + slot.bytes, 0) / smoothedSeconds,
  }
}

function put(name: string, words: Html, within: HTMLElement = figure): void {
  within.querySelector(`[data-value="${name}"]`)!.textContent = say(words)
}
