// The timeline of the bar, as SVG. Its slots lead to captures by mouse and touch; by keyboard, the steps beside it do.

import { printShortDay } from '../dates.ts'
import { type Html, html } from '../html.ts'
import { versionPath } from '../links.ts'
import { slotCapturesMax, slotCount, type Timeline, type TimelineSlot } from '../timeline.ts'

const width = 480
const height = 34
const slotWidth = width / slotCount

export function timelineDrawing(timeline: Timeline, url: string): Html {
  const { firstMs, lastMs, slots, currentPlace } = timeline
  const spoken = `Captures from ${printShortDay(firstMs)} to ${printShortDay(lastMs)}`
  const x = (currentPlace * slotWidth).toFixed(1)
  return html`<svg class="timeline" viewBox="-3 0 ${width + 6} ${height}" preserveAspectRatio="none" role="img" aria-label="${spoken}"><title>${spoken}</title><path class="ground" d="M0 ${height - 2}H${width}"/>${slots.map((slot) => slotDrawing(slot, url))}<path class="now" d="M${x} 1V${height}"/></svg>`
}

function slotDrawing({ place, count, changed, outcome, atMs }: TimelineSlot, url: string): Html {
  const tall = 7 + ((height - 12) * Math.log1p(count)) / Math.log1p(slotCapturesMax)
  const x = (place * slotWidth).toFixed(1)
  return html`<a href="${versionPath(atMs, url)}" tabindex="-1"><title>${printShortDay(atMs)}</title><rect class="reach" x="${x}" y="0" width="${slotWidth}" height="${height}"/><rect class="${outcome} ${changed ? 'changed' : 'same'}" x="${x}" y="${(height - 2 - tall).toFixed(1)}" width="${slotWidth - 1}" height="${tall.toFixed(1)}"/></a>`
}
