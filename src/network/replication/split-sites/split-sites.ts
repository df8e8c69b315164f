// Split sites: a site that is too large for one place of the ring lies at several.
//
// It is split at bounds, each between two of its URLs: what comes before the first stays where the site is, what comes from a
// bound on up to the next lies at a place of its own, which follows from the bound alone. So splitting one bucket moves
// half of that one and nothing else, the order of captures is what it was, and no key changes. Where bounds were taken away
// again, captures may still lie at their places for a while: readers ask there too.
// Invariant: everybody who knows the same bounds says the same, in whatever order they heard of them. `id` tells whether two do.
// Others may tell of thousands at once: what follows from the bounds is worked out once after each change.

import { createHash } from 'node:crypto'
import {
  placeBefore,
  type RingKey,
  ringKeyBytes,
  ringKeyFromBytes,
  ringKeyOf,
  ringKeyToBytes,
} from '../../../model/ring-key.ts'
import { KeyRangeSet } from '../anti-entropy/key-range-set.ts'
import { isBefore, type KeyRange, rangesOfArc } from '../sums/key-range.ts'

/** Where a site is split: the beginning of a capture's key, ring key of the site included. */
export interface Bound {
  readonly key: Uint8Array
  /** It was taken away: what lay behind it belongs to what comes before. */
  readonly isGone: boolean
}

/** A part of a site, and its place on the ring. */
interface Bucket {
  readonly range: KeyRange
  readonly place: RingKey
}

/** A site does not become more, whatever is said: readers ask at the places of all. */
export const boundsMax = 255
const rangesKept = 256

export class SplitSites {
  /** All that were told, by their keys as text. */
  readonly #told = new Map<RingKey, Map<string, Bound>>()
  /** The bounds of each that count, in order. */
  readonly #sites = new Map<RingKey, readonly Bound[]>()
  readonly #buckets = new Map<RingKey, readonly Bucket[]>()
  /** By arc. */
  readonly #ranges = new Map<string, readonly KeyRange[]>()
  /** The buckets of all sites that are not the first of theirs, in order. */
  #moved: readonly Bucket[] | undefined
  readonly #listeners = new Set<() => void>()
  #id = ''

  /** Tells which bounds are known, in a few digits. */
  get id(): string {
    return this.#id
  }

  /** From now on these bounds hold, or do not any more. What is no bound is passed over. */
  set(...bounds: readonly Bound[]): void {
    const changed = new Set<RingKey>()
    for (const bound of bounds) {
      if (bound.key.length <= ringKeyBytes) continue
      const site = siteOfKey(bound.key)
      const told = this.#told.get(site) ?? new Map<string, Bound>()
      this.#told.set(site, told.set(Buffer.from(bound.key).toString('latin1'), bound))
      changed.add(site)
    }
    if (changed.size === 0) return
    for (const site of changed) this.#sites.set(site, boundsThatCount(this.#told.get(site)!.values()))
    this.#buckets.clear()
    this.#ranges.clear()
    this.#moved = undefined
    this.#id = this.#newId()
    for (const listener of [...this.#listeners]) listener()
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Whether a site lies there, both included, that is split. */
  isSplitWithin(from: RingKey, upTo: RingKey): boolean {
    for (const site of this.#sites.keys()) if (from <= site && site <= upTo) return true
    return false
  }

  /** Where parts of the site may lie, or of the next ones that are split, when it is not. */
  placesNear(key: RingKey, sitesMax: number): RingKey[] {
    const sites = this.#sites.has(key)
      ? [key]
      : [...this.#sites.keys()]
          .filter((site) => site > key)
          .sort()
          .slice(0, sitesMax)
    return sites.flatMap((site) => this.placesOf(site, rangesOfArc(placeBefore(site), site)[0]!))
  }

  /** Where the capture with this key lies. */
  placeOf(key: Uint8Array): RingKey {
    const site = siteOfKey(key)
    const bounds = this.#sites.get(site)
    if (bounds === undefined) return site
    const bound = bounds.findLast((other) => !other.isGone && Buffer.compare(other.key, key) <= 0)
    return bound === undefined ? site : placeOfBound(bound.key)
  }

  /** Where captures of these keys lie, or may still lie: their own place first. */
  placesOf(site: RingKey, range: KeyRange): RingKey[] {
    const bounds = this.#sites.get(site) ?? []
    const last = bounds.filter(({ key }) => isBefore(key, range.to))
    const places = last.toReversed().map(({ key }) => placeOfBound(key))
    return [...new Set([this.placeOf(range.from), ...places, site])]
  }

  /** The parts of a site, in order. */
  bucketsOf(site: RingKey): readonly Bucket[] {
    let buckets = this.#buckets.get(site)
    if (buckets !== undefined) return buckets
    buckets = this.#bucketsNow(site)
    // Of sites that are whole there are too many to remember.
    if (this.#sites.has(site)) this.#buckets.set(site, buckets)
    return buckets
  }

  #bucketsNow(site: RingKey): Bucket[] {
    const [whole] = rangesOfArc(placeBefore(site), site)
    const bounds = (this.#sites.get(site) ?? []).filter(({ isGone }) => !isGone)
    const starts = [whole!.from, ...bounds.map(({ key }) => key)]
    return starts.map((from, index) => ({
      range: { from, to: starts[index + 1] ?? whole!.to },
      place: index === 0 ? site : placeOfBound(from),
    }))
  }

  /** Those that are or were split. */
  sites(): RingKey[] {
    return [...this.#sites.keys()]
  }

  /** The bucket with this key in it, unless that is the first of its site, or the site is whole. */
  bucketAround(key: Uint8Array): KeyRange | undefined {
    const site = siteOfKey(key)
    if (!this.#sites.has(site)) return undefined
    const buckets = this.bucketsOf(site).slice(1)
    return buckets.find(({ range }) => !isBefore(key, range.from) && isBefore(key, range.to))?.range
  }

  /** Where the next such bucket begins, of any site. */
  nextBucketAfter(key: Uint8Array): Uint8Array | undefined {
    const moved = this.#movedBuckets()
    let [low, high] = [0, moved.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBefore(key, moved[middle]!.range.from)) high = middle
      else low = middle + 1
    }
    return moved[low]?.range.from
  }

  #movedBuckets(): readonly Bucket[] {
    this.#moved ??= this.sites()
      .flatMap((site) => this.bucketsOf(site).slice(1))
      .sort((one, other) => Buffer.compare(one.range.from, other.range.from))
    return this.#moved
  }

  /** The keys of what lies on an arc: `after` excluded, `upTo` included. */
  rangesOf(after: RingKey, upTo: RingKey): readonly KeyRange[] {
    if (this.#sites.size === 0) return rangesOfArc(after, upTo)
    const arc = `${after} ${upTo}`
    let ranges = this.#ranges.get(arc)
    if (ranges !== undefined) return ranges
    ranges = this.#rangesNow(after, upTo)
    if (this.#ranges.size >= rangesKept) this.#ranges.clear()
    this.#ranges.set(arc, ranges)
    return ranges
  }

  #rangesNow(after: RingKey, upTo: RingKey): readonly KeyRange[] {
    const arc = rangesOfArc(after, upTo)
    const keys = new KeyRangeSet(arc)
    const places = new KeyRangeSet(arc)
    const buckets = this.#movedBuckets()
    keys.removeAll(buckets.map(({ range }) => range))
    const coming = buckets.filter(({ place }) => places.has(ringKeyToBytes(place)))
    return new KeyRangeSet([...keys.ranges, ...coming.map(({ range }) => range)]).ranges
  }

  #newId(): string {
    const digest = createHash('sha256')
    for (const site of [...this.#sites.keys()].sort()) {
      for (const { key, isGone } of this.#sites.get(site)!) {
        digest.update(`${key.length} ${isGone} `).update(key)
      }
    }
    return digest.digest('hex').slice(0, 16)
  }
}

/** Those that hold before those that were taken away; of more than there may be, by their places, as all others choose. */
function boundsThatCount(told: Iterable<Bound>): Bound[] {
  const all = [...told]
  const chosen =
    all.length <= boundsMax
      ? all
      : all
          .map((bound) => ({ bound, place: placeOfBound(bound.key) }))
          .sort((one, other) => {
            if (one.bound.isGone !== other.bound.isGone) return one.bound.isGone ? 1 : -1
            return one.place < other.place ? -1 : 1
          })
          .slice(0, boundsMax)
          .map(({ bound }) => bound)
  return chosen.sort((one, other) => Buffer.compare(one.key, other.key))
}

function placeOfBound(key: Uint8Array): RingKey {
  return ringKeyOf(Buffer.concat([Buffer.from('bucket\n'), key]))
}

export function siteOfKey(key: Uint8Array): RingKey {
  return ringKeyFromBytes(key.subarray(0, ringKeyBytes))
}
