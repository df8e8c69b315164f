// Part links: the links of a part's pages, gathered from the graph: those to pages of the part itself, and for each other part the
// targets there, in an order that is told once (see value-coding.ts).
//
// Bounded: pages of the part, ours and those that others tell of; what is beyond is left out.

import { type LinkMatrix, linkMatrix } from './kernel/link-matrix.ts'
import { NumberList } from './number-list.ts'
import { PageNames } from './page-names.ts'
import type { RankParts, RankSource } from './rank-parts.ts'

/** Of one part. A page takes some 200 bytes while a run goes on. */
export const pagesMax = 20_000_000
const pagesPerPause = 500
/** In place of the number of a page: what is not ours. */
export const nowhere = 0xffffffff

export class PartLinks {
  /** Of our pages, those that are kept here first. */
  readonly names = new PageNames(pagesMax)
  readonly #parts: RankParts
  /** By part: what our pages link to there. */
  readonly #targets: readonly PageNames[]
  readonly #from: readonly NumberList[]
  readonly #to: readonly NumberList[]
  #kept = 0

  constructor(parts: RankParts) {
    this.#parts = parts
    this.#targets = Array.from({ length: parts.count }, () => new PageNames(pagesMax))
    this.#from = Array.from({ length: parts.count }, () => new NumberList())
    this.#to = Array.from({ length: parts.count }, () => new NumberList())
  }

  /** How many of our pages are kept here: they have the first numbers. */
  get kept(): number {
    return this.#kept
  }

  /** Those of other parts that our pages link to. */
  targetsOf(part: number): PageNames {
    return this.#targets[part]!
  }

  get links(): number {
    return this.#from.reduce((sum, { length }) => sum + length, 0)
  }

  /** Links to pages of other parts. */
  get crossLinks(): number {
    return this.links - this.#from[this.#parts.self]!.length
  }

  async gather(source: RankSource, breathe: () => Promise<void>): Promise<void> {
    const { self } = this.#parts
    let looked = 0
    // First all that are kept, so that they can be told from what is only linked to.
    for (const { href } of source.pages()) {
      if (this.#parts.partOf(href) === self) this.names.add(href)
      if (++looked % pagesPerPause === 0) await breathe()
    }
    this.#kept = this.names.count
    for (const { href, targets } of source.pages()) {
      const page = this.names.numberOf(href)
      if (page !== undefined && page < this.#kept) this.#add(page, targets)
      if (++looked % pagesPerPause === 0) await breathe()
    }
  }

  /** A page of ours that another part's pages link to; `nowhere` when it is not ours. */
  named(href: string): number {
    if (this.#parts.partOf(href) !== this.#parts.self) return nowhere
    return this.names.add(href) ?? nowhere
  }

  /** When all targets are known. `firstRows`: by part, the row of its first target. */
  matrix(): { matrix: LinkMatrix; firstRows: readonly number[] } {
    const { self } = this.#parts
    const pages = this.names.count
    let rows = pages
    const firstRows = this.#targets.map((targets, part) => {
      if (part === self) return 0
      rows += targets.count
      return rows - targets.count
    })
    const [from, to] = [new Uint32Array(this.links), new Uint32Array(this.links)]
    let at = 0
    for (const [part, first] of firstRows.entries()) {
      from.set(this.#from[part]!.values, at)
      for (const number of this.#to[part]!.values) to[at++] = first + number
    }
    return { matrix: linkMatrix({ pages, rows }, from, to), firstRows }
  }

  #add(page: number, targets: Iterable<string>): void {
    for (const target of targets) {
      const part = this.#parts.partOf(target)
      if (part === undefined) continue
      const names = part === this.#parts.self ? this.names : this.#targets[part]!
      const number = names.add(target)
      if (number === undefined || (names === this.names && number === page)) continue
      this.#from[part]!.push(page)
      this.#to[part]!.push(number)
    }
  }
}
