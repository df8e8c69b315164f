// Site memory: which places in the pages of a site are different at nearly every visit of nearly every page that has them, and where
// values come back, as those of rotating boxes do and those of edited texts do not.
//
// A bounded record, kept and handed over as bytes with the site's frontier. Two of one site can be merged. Bytes that cannot be read
// are an empty memory.

import { MessageMalformed, readableOr } from '../../../formats/wire/message-bytes.ts'
import { number, uint } from '../../../formats/wire/message-fields.ts'
import { list, type Out, record, versioned } from '../../../formats/wire/message-schema.ts'
import { pathOfKey } from './block-change.ts'

const version = 1
/** Some 14 kB at most. */
const placesMax = 400
const pagesMax = 6
const valuesMax = 16
/** In place of a page: the value was seen on more than one. */
const onSeveral = 0
const countMax = 10_000

const placeSchema = record({
  key: uint(6),
  /** Visits of pages that have it. */
  visits: number(countMax),
  /** Those at which all of it was different. */
  changes: number(countMax),
  returns: number(countMax),
  /** Some of the pages, by their hash. */
  pages: list(uint(2), pagesMax),
  pagesWithReturns: list(uint(2), pagesMax),
  /** Of a box: some values that it had, each with the page on which it was seen first. */
  values: list(record({ value: uint(3), page: uint(2) }), valuesMax),
})

const schema = versioned(
  version,
  record({ places: list(placeSchema, placesMax) }),
  (theirs) => new MessageMalformed(`a memory of version ${theirs}`),
)

type Place = { -readonly [K in keyof Out<typeof placeSchema>]: Out<typeof placeSchema>[K] }

export interface NotedPlace {
  readonly key: number
  readonly isChanged: boolean
  readonly isReturn: boolean
  /** Hashes of what came, of a box. */
  readonly came?: readonly number[]
}

export class SiteMemory {
  readonly #places = new Map<number, Place>()

  /** Whether these are the bytes of one, and not another's that would be an empty one. */
  static isReadable(bytes: Uint8Array): boolean {
    return readableOr(() => schema.decode(bytes), undefined) !== undefined
  }

  static fromBytes(bytes: Uint8Array | undefined): SiteMemory {
    const memory = new SiteMemory()
    const read = bytes === undefined ? undefined : readableOr(() => schema.decode(bytes), undefined)
    for (const place of read?.places ?? []) memory.#places.set(place.key, { ...place })
    return memory
  }

  toBytes(): Uint8Array {
    return schema.encode({ places: [...this.#places.values()] })
  }

  /** Different at every visit, on several pages. */
  isVariable(key: number, share = 0.85): boolean {
    const place = this.#places.get(key)
    if (place === undefined) return false
    return place.pages.length >= 3 && place.changes >= 6 && place.changes >= place.visits * share
  }

  /** Pages take its values from one pool, and get back what they had lost. Texts that are reverted come back as well, but are
   * those of one page; lists of news are shared, but nothing comes back; notices come and go, but are always the same. */
  isRotating(key: number): boolean {
    const place = this.#places.get(key)
    if (place === undefined) return false
    const { changes, visits, returns, pagesWithReturns } = place
    return (
      changes >= 6 &&
      changes >= visits * 0.6 &&
      returns >= 2 &&
      pagesWithReturns.length >= 2 &&
      sharedValues(place) >= 3
    )
  }

  /** What one visit of a page showed. `paths`: all that the page has. */
  note(page: number, places: readonly NotedPlace[], paths: ReadonlySet<number>): void {
    const noted = new Set(places.map(({ key }) => key))
    for (const place of this.#places.values()) {
      if (!noted.has(place.key) && paths.has(pathOfKey(place.key))) count(place, false)
    }
    for (const { key, isChanged, isReturn, came } of places) {
      const place = this.#places.get(key) ?? {
        key,
        visits: 0,
        changes: 0,
        returns: 0,
        pages: [],
        pagesWithReturns: [],
        values: [],
      }
      count(place, isChanged)
      place.pages = withPage(place.pages, page)
      if (isReturn) {
        place.returns++
        place.pagesWithReturns = withPage(place.pagesWithReturns, page)
      }
      for (const value of came ?? []) noteValue(place, value & 0xffffff, page)
      this.#put(place)
    }
  }

  /** A visit at which the page was the same as before: of these places at least it is known that it has them. */
  noteUnchanged(keys: Iterable<number>): void {
    for (const key of new Set(keys)) {
      const place = this.#places.get(key)
      if (place !== undefined) count(place, false)
    }
  }

  /** As if both had seen what each saw. */
  merge(other: SiteMemory): void {
    for (const theirs of other.#places.values()) {
      const ours = this.#places.get(theirs.key)
      if (ours === undefined) {
        this.#put({ ...theirs })
        continue
      }
      ours.visits = Math.min(ours.visits + theirs.visits, countMax)
      ours.changes = Math.min(ours.changes + theirs.changes, countMax)
      ours.returns = Math.min(ours.returns + theirs.returns, countMax)
      for (const { value, page } of theirs.values) noteValue(ours, value, page)
      for (const page of theirs.pages) ours.pages = withPage(ours.pages, page)
      for (const page of theirs.pagesWithReturns)
        ours.pagesWithReturns = withPage(ours.pagesWithReturns, page)
    }
  }

  #put(place: Place): void {
    if (!this.#places.has(place.key) && this.#places.size >= placesMax) this.#forgetOne()
    this.#places.set(place.key, place)
  }

  /** The one that changed least, the oldest of those: edits leave many that changed once. */
  #forgetOne(): void {
    let least: Place | undefined
    for (const place of this.#places.values()) {
      if (least === undefined || place.changes < least.changes) least = place
    }
    if (least !== undefined) this.#places.delete(least.key)
  }
}

function count(place: Place, isChanged: boolean): void {
  place.visits++
  if (isChanged) place.changes++
  // So that what the site does now counts more than what it did once.
  if (place.visits < countMax / 10) return
  place.visits = Math.ceil(place.visits / 2)
  place.changes = Math.min(Math.round(place.changes / 2), place.visits)
  place.returns = Math.round(place.returns / 2)
}

function withPage(pages: readonly number[], page: number): readonly number[] {
  return pages.includes(page) || pages.length >= pagesMax ? pages : [...pages, page]
}

/** Values that were seen on two pages stay; of the others the oldest makes room. */
function noteValue(place: Place, value: number, page: number): void {
  const known = place.values.find((one) => one.value === value)
  const others = place.values.filter((one) => one !== known)
  if (known !== undefined) {
    const isOnTwo = known.page === onSeveral || known.page !== page
    place.values = [...others, { value, page: isOnTwo ? onSeveral : page }]
    return
  }
  if (others.length >= valuesMax) {
    const oldest = others.findIndex((one) => one.page !== onSeveral)
    others.splice(Math.max(0, oldest), 1)
  }
  place.values = [...others, { value, page }]
}

function sharedValues({ values }: Place): number {
  return values.filter(({ page }) => page === onSeveral).length
}
