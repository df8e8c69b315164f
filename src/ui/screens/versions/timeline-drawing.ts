// The timeline of the bar, as SVG: a mark for each slot, a tooltip with its captures, the years below. Its slots lead to captures
// by mouse and touch; by keyboard, the steps beside it do.
//
// Drawn in percent of its width, so that it can be as wide as there is room without drawing its letters out of shape.

import { printClock, printShortDay, startOfYearMs, yearOf } from '../../markup/dates.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import { versionPath } from '../../markup/links.ts'
import { versionsTexts } from '../../texts/versions.ts'
import { slotCapturesMax, slotCount, type Timeline, type TimelineSlot } from '../../timeline.ts'
import { outcomeNames } from '../../version-state.ts'

const height = 34
/** The marks stand on this; the years are below. */
const groundY = 21
const slotPercent = 100 / slotCount
/** As many as have room on a phone. */
const yearLabelsMax = 6

export function timelineDrawing(timeline: Timeline, url: string): Html {
  const { firstMs, lastMs, slots, currentPlace } = timeline
  const spoken = versionsTexts.fromTo({ from: printShortDay(firstMs), to: printShortDay(lastMs) })
  const x = percent(currentPlace)
  return html`<svg class="timeline" width="100%" height="${height}" role="group" aria-label="${spoken}"><line class="ground" x1="0" x2="100%" y1="${groundY}" y2="${groundY}"/>${yearMarks(timeline)}${slots.map((slot) => slotDrawing(slot, url))}<line class="now" x1="${x}" x2="${x}" y1="0" y2="${groundY + 2}"/></svg>`
}

function slotDrawing({ place, count, changed, outcome, atMs, captures }: TimelineSlot, url: string): Html {
  const tall = 6 + ((groundY - 8) * Math.log1p(count)) / Math.log1p(slotCapturesMax)
  const x = percent(place)
  return html`<a href="${versionPath(atMs, url)}" tabindex="-1"><title>${captures.map(captureLine)}${count < slotCapturesMax ? nothing : html`\n${versionsTexts.maybeMore}`}</title><rect class="reach" x="${x}" y="0" width="${slotPercent.toFixed(2)}%" height="${height}"/><rect class="${outcome} ${changed ? 'changed' : 'same'}" x="${x}" y="${(groundY - tall).toFixed(1)}" width="${(slotPercent * 0.8).toFixed(2)}%" height="${tall.toFixed(1)}"/></a>`
}

/** `3 Mar 2020, 08:11, changed`: nothing is said of what is as it should be. */
function captureLine({ atMs, changed, outcome }: TimelineSlot['captures'][number], index: number): Html {
  const note = changed ? versionsTexts.changed : versionsTexts.theSame
  const ending = outcome === 'good' ? nothing : html`, ${outcomeNames[outcome]}`
  return html`${index === 0 ? '' : '\n'}${printShortDay(atMs)}, ${printClock(atMs).slice(0, 5)}, ${note}${ending}`
}

/** Where years begin; of many years every second, fifth or tenth and so on. Within one year, that year. */
function yearMarks({ firstMs, lastMs }: Timeline): Html[] {
  const first = yearOf(firstMs) + 1
  const last = yearOf(lastMs)
  if (last < first) return [yearLabel(last, 0)]
  const step =
    [1, 2, 5, 10, 20, 50, 100, 1_000].find((years) => (last - first + 1) / years <= yearLabelsMax) ?? 10_000
  const shown: Html[] = []
  for (let year = Math.ceil(first / step) * step; year <= last; year += step) {
    const share = (startOfYearMs(year) - firstMs) / (lastMs - firstMs + 1)
    // A label that begins at the very end would be cut off.
    if (share < 0.93) shown.push(yearLabel(year, share * slotCount))
  }
  return shown.length === 0 ? [yearLabel(last, 0)] : shown
}

function yearLabel(year: number, place: number): Html {
  const x = percent(place)
  return html`<line class="year-start" x1="${x}" x2="${x}" y1="${groundY}" y2="${height}"/><text class="year" x="${x}" dx="3" y="${height - 2}">${year}</text>`
}

function percent(place: number): string {
  return `${((place * 100) / slotCount).toFixed(2)}%`
}
