// Checks that the index's entries are true to each other and to the volumes: the ledger's invariants, one by one.
//
// For tests, and for a store that nobody writes to meanwhile: it reads the tables one after the other. Memory is bounded:
// references are counted for a part of the digests at a time.

import { parseUrl, type Url } from '../../model/url/url.ts'
import { printUuid } from '../../model/uuid.ts'
import { type ContentKey, printContentKey } from '../contents/content-key.ts'
import type { VolumeFiles } from '../volumes/volume-files.ts'
import { readVolumeHead } from '../volumes/volume-head.ts'
import { isHidden, parseContentTableKey } from './content-entry.ts'
import { isOfCapture, type Ledger, type Totals } from './ledger.ts'
import { equalLocations, type Location } from './location.ts'
import type { StoreIndex } from './store-index.ts'

interface Needs {
  index: StoreIndex
  takedowns: { marks(url: Url): boolean }
  ledger: Ledger
  files: VolumeFiles
}

/** Contents whose references are counted in one pass over the index. */
const contentsPerPass = 1_000_000

/** What is wrong, a sentence each; empty when all is well. */
export async function checkIndex(needs: Needs): Promise<string[]> {
  return new IndexCheck(needs).run()
}

class IndexCheck {
  readonly #needs: Needs
  readonly #problems: string[] = []
  readonly #liveBytes = new Map<number, number>()
  readonly #totals: Totals = { captures: 0, hidden: 0, contents: 0, originalBytes: 0, distinctBytes: 0 }
  #heldByCaptures = 0
  #heldContents = 0
  #elsewhere = 0

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async run(): Promise<string[]> {
    this.#checkCaptures()
    this.#checkContents()
    this.#checkReferences()
    this.#checkRecords()
    this.#checkTotals()
    await this.#checkVolumes()
    return this.#problems
  }

  #checkCaptures(): void {
    const { index } = this.#needs
    for (const [key, entry] of index.captures({})) {
      const { location, companionBytes, recordId, url } = entry
      const name = `capture ${printUuid(recordId)} of ${url}`
      const { isElsewhere } = entry
      const content = isElsewhere ? undefined : entry.content && index.content(entry.content)
      if (isElsewhere) this.#checkElsewhere(name, key, entry.content)
      else if (entry.content && !content) this.#problem(`${name} names a content that is not there`)
      const isHolder = content !== undefined && equalLocations(content.location, location)
      if (isHolder) this.#heldByCaptures++
      if (isHolder && content.isOrphaned) this.#problem(`${name} holds a content that is called orphaned`)
      this.#countLive(
        name,
        { ...location, length: location.length + companionBytes },
        isHolder ? location.length : 0,
      )
      const record = index.record(recordId)
      if (record === undefined || !equalLocations(record, location))
        this.#problem(`${name} is elsewhere by its record id`)
      this.#totals.captures++
      if (entry.isHidden) this.#totals.hidden++
      const isMarked = this.#needs.takedowns.marks(parseUrl(url))
      if (isMarked !== entry.isHidden)
        this.#problem(`${name} is ${entry.isHidden ? 'hidden without' : 'not hidden by'} a takedown`)
      this.#totals.originalBytes += entry.payloadBytes
    }
  }

  #checkElsewhere(name: string, key: Uint8Array, content: ContentKey | undefined): void {
    this.#elsewhere++
    const reference = content && Buffer.concat([content.digest.bytes, key])
    if (reference === undefined || this.#needs.index.elsewhere.get(reference) === undefined)
      this.#problem(`${name} is elsewhere, and not among those that are`)
  }

  #checkContents(): void {
    const { index } = this.#needs
    for (const [key, entry] of index.contents()) {
      const name = `content ${printContentKey(key)}`
      this.#countLive(name, entry.location, 0)
      if (isOfCapture(entry)) this.#heldContents++
      if (entry.references < 1 || entry.puts > entry.references)
        this.#problem(`${name} has ${entry.references} references, ${entry.puts} of them puts`)
      if (key.overflow > 0 && !index.mayOverflow) this.#problem(`${name} is not looked for`)
      const base = entry.base && index.content(entry.base)
      if (entry.base && !base) this.#problem(`${name} is a delta without its base`)
      if (base && base.depth >= entry.depth) this.#problem(`${name} is no deeper than its base`)
      this.#totals.contents++
      this.#totals.distinctBytes += entry.sizeBytes
      this.#totals.originalBytes += entry.puts * entry.sizeBytes
    }
    if (this.#heldContents !== this.#heldByCaptures) {
      this.#problem(
        `${this.#heldContents} contents lie in captures' records, ${this.#heldByCaptures} captures hold one`,
      )
    }
  }

  #countLive(name: string, location: Location, countedElsewhere: number): void {
    const volume = this.#needs.index.volume(location.volume)
    if (volume === undefined || location.offset + location.length > volume.sizeBytes)
      this.#problem(`${name} lies outside of volume ${location.volume}`)
    else if (volume.state === 'emptied')
      this.#problem(`${name} lies in volume ${location.volume}, which is emptied`)
    const live = this.#liveBytes.get(location.volume) ?? 0
    this.#liveBytes.set(location.volume, live + location.length - countedElsewhere)
  }

  #checkReferences(): void {
    const passes = Math.max(1, Math.ceil(this.#totals.contents / contentsPerPass))
    for (let pass = 0; pass < passes; pass++) {
      this.#checkReferencesOf(({ digest }) => digest.bytes[0]! % passes === pass)
    }
  }

  #checkReferencesOf(isOfPass: (key: ContentKey) => boolean): void {
    const counts = new Map<string, number>()
    const count = (counts: Map<string, number>, key: ContentKey | undefined, by: number): void => {
      if (key === undefined || !isOfPass(key)) return
      const name = printContentKey(key)
      counts.set(name, (counts.get(name) ?? 0) + by)
    }
    const hidden = new Map<string, number>()
    const { index } = this.#needs
    for (const [, entry] of index.captures({})) {
      const content = entry.isElsewhere ? undefined : entry.content
      count(counts, content, 1)
      if (entry.isHidden) count(hidden, content, 1)
    }
    for (const [key] of index.held.range()) count(counts, parseContentTableKey(key), 1)
    for (const [key, entry] of index.contents()) {
      count(counts, key, entry.puts - entry.references)
      count(counts, entry.base, 1)
      count(hidden, key, -entry.hidden)
      if (isHidden(entry)) count(hidden, entry.base, 1)
    }
    for (const [name, surplus] of counts) {
      if (surplus !== 0) this.#problem(`content ${name} is needed ${surplus} times more than its entry says`)
    }
    for (const [name, surplus] of hidden) {
      if (surplus !== 0) this.#problem(`content ${name} has ${surplus} more hidden references than it says`)
    }
  }

  #checkRecords(): void {
    let count = 0
    for (const _ of this.#needs.index.records()) count++
    if (count !== this.#totals.captures)
      this.#problem(`${count} record ids are known, but ${this.#totals.captures} captures`)
    let elsewhere = 0
    for (const _ of this.#needs.index.elsewhere.range()) elsewhere++
    if (elsewhere !== this.#elsewhere)
      this.#problem(`${elsewhere} captures are noted as elsewhere, but ${this.#elsewhere} are`)
  }

  #checkTotals(): void {
    const totals = this.#needs.ledger.totals()
    for (const [name, counted] of Object.entries(this.#totals) as [keyof Totals, number][]) {
      if (totals[name] !== counted) this.#problem(`total of ${name} is ${totals[name]}, counted ${counted}`)
    }
  }

  async #checkVolumes(): Promise<void> {
    for (const [number, volume] of this.#needs.index.volumes()) {
      if (volume.sizeBytes === 0 || volume.state === 'emptied') continue
      const read = (offset: number, length: number) =>
        this.#needs.files.read({ volume: number, offset, length })
      const head = await readVolumeHead(read)
      if (volume.headBytes !== undefined && volume.headBytes !== head.length)
        this.#problem(
          `volume ${number} has a head of ${volume.headBytes} bytes by its entry, not ${head.length}`,
        )
      const live = this.#liveBytes.get(number) ?? 0
      const dead = volume.sizeBytes - live - head.length
      if (dead !== volume.deadBytes)
        this.#problem(`volume ${number} has ${volume.deadBytes} dead bytes by its entry, counted ${dead}`)
    }
  }

  #problem(sentence: string): void {
    this.#problems.push(sentence)
  }
}
