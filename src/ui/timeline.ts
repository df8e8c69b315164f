// Timeline: all captures of a URL as a row of slots from the first to the last, for the bar above a replayed page.
//
// Bounded by slots, not by captures: each slot looks at a few of its captures only, so that the bar costs the same for
// ten captures and for a million.

import { allOf, firstOf } from '../model/listed.ts'
import type { Url } from '../model/url/url.ts'
import type { PageArchive, Version } from './archive.ts'
import { isChanged, type Outcome, outcomeOf } from './version-state.ts'

export interface TimelineSlot {
  /** From 0 on, left to right. */
  readonly place: number
  /** At most slotCapturesMax. */
  readonly count: number
  readonly changed: boolean
  readonly outcome: Outcome
  /** Where a click leads: its first capture that answered, else its first. */
  readonly atMs: number
  /** The first few, for the tooltip. */
  readonly captures: readonly {
    readonly atMs: number
    readonly changed: boolean
    readonly outcome: Outcome
  }[]
}

export interface Timeline {
  readonly firstMs: number
  readonly lastMs: number
  readonly slots: readonly TimelineSlot[]
  /** Where a moment lies, from 0 to slotCount. */
  readonly currentPlace: number
}

export const slotCount = 120
export const slotCapturesMax = 8

export async function timelineOf(
  archive: Pick<PageArchive, 'versions'>,
  url: Url,
  currentMs: number,
): Promise<Timeline | undefined> {
  const first = await firstOf(archive.versions(url, { limit: 1 }))
  const last = await firstOf(archive.versions(url, { reverse: true, limit: 1 }))
  if (first === undefined || last === undefined) return undefined
  const firstMs = first.capturedAtMs
  const lastMs = last.capturedAtMs
  if (firstMs === lastMs) {
    const middle = slotCount / 2
    return { firstMs, lastMs, slots: [slotOf(middle, [first], undefined)], currentPlace: middle + 0.5 }
  }
  const slotMs = Math.max(1, (lastMs - firstMs + 1) / slotCount)
  const slots: TimelineSlot[] = []
  let before: Version | undefined
  let place = 0
  while (place < slotCount) {
    const fromMs = Math.ceil(firstMs + place * slotMs)
    const toMs = Math.ceil(firstMs + (place + 1) * slotMs)
    const versions = await allOf(archive.versions(url, { fromMs, toMs, limit: slotCapturesMax }))
    if (versions.length > 0) {
      slots.push(slotOf(place, versions, before))
      before = versions.at(-1)
    }
    place = await nextPlace(archive, url, { toMs, place, firstMs, slotMs }, versions.length)
  }
  const currentPlace = Math.min(slotCount, Math.max(0, (currentMs - firstMs) / slotMs))
  return { firstMs, lastMs, slots, currentPlace }
}

/** After an empty slot straight to the next capture: most URLs have a few captures far apart. */
async function nextPlace(
  archive: Pick<PageArchive, 'versions'>,
  url: Url,
  slot: { toMs: number; place: number; firstMs: number; slotMs: number },
  found: number,
): Promise<number> {
  if (found > 0) return slot.place + 1
  const next = await firstOf(archive.versions(url, { fromMs: slot.toMs, limit: 1 }))
  if (next === undefined) return slotCount
  return Math.max(slot.place + 1, Math.floor((next.capturedAtMs - slot.firstMs) / slot.slotMs))
}

function slotOf(place: number, versions: readonly Version[], before: Version | undefined): TimelineSlot {
  const captures = versions.map((version, index) => ({
    atMs: version.capturedAtMs,
    changed: isChanged(index === 0 ? before : versions[index - 1], version),
    outcome: outcomeOf(version),
  }))
  const { atMs, outcome } = captures.find((capture) => capture.outcome === 'good') ?? captures[0]!
  const changed = captures.some((capture) => capture.changed)
  return { place, count: captures.length, changed, outcome, atMs, captures }
}
