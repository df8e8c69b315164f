// Watch plot: when a watch saw something, at a glance: a bar for each change, taller where more changed. Drawn as SVG, so that no style
// has to stand in the page.

import type { WatchSighting } from '../../../changes/watches/page-watch.ts'
import { printShortDay } from '../../markup/dates.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import { watchesTexts } from '../../texts/watches.ts'

const width = 180
const height = 32
const barWidth = 3
const barHeightMin = 4
/** A change of so many words is as tall as any. */
const tallShare = 0.5
/** Of a watch that was just made. */
const spanMsMin = 3_600_000

/** `history`: newest first. */
export function watchPlot(history: readonly WatchSighting[], createdAtMs: number, nowMs: number): Html {
  const told = history.filter(({ isFirst }) => !isFirst)
  if (told.length === 0) return nothing
  const fromMs = Math.min(createdAtMs, history.at(-1)!.atMs)
  const spanMs = Math.max(spanMsMin, nowMs - fromMs)
  const words = watchesTexts.changesSince({ count: told.length, day: printShortDay(told.at(-1)!.atMs) })
  return html`<svg class="watch-plot" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${words}" focusable="false"><title>${words}</title><path class="ground" d="M0 ${height - 0.5}H${width}"/>${told.map((sighting) => bar(sighting, (sighting.atMs - fromMs) / spanMs))}</svg>`
}

function bar({ kind, part, wordShare }: WatchSighting, at: number): Html {
  const isLoss = kind === 'gone' || part === 'missing'
  const share = isLoss ? 1 : Math.min(1, (wordShare ?? tallShare) / tallShare)
  const tall = barHeightMin + share * (height - 2 - barHeightMin)
  const x = Math.min(1, Math.max(0, at)) * (width - barWidth)
  return html`<rect class="${isLoss ? 'loss' : 'change'}" x="${x.toFixed(1)}" y="${(height - tall).toFixed(1)}" width="${barWidth}" height="${tall.toFixed(1)}"/>`
}
