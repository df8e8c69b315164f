// Rank run: one part of a computation of all ranks, from the links of the pages that are kept here to their ranks.
//
//   step 0      parts tell each other which of their pages they link to, in an order that holds for the run
//   step 1      how many pages there are, and seeds of trust that are kept
//   step 2 …    an iteration each: what our pages give to those of others, a sum for each target, with the ranks of our pages that
//               have links and the change of the iteration before, of which everybody makes the same sums
//
// All parts see the same change at the same step, and so end together. Whatever they start with, they end with the same ranks
// (rank-iteration.ts): as many peers as may take part, and whoever of them comes or goes between two tries.
//
// What others tell is checked: finite, no more than there is, for pages that are ours. Who tells what cannot be so is named (BadPart).

import { MessageMalformed } from '../formats/wire/message-bytes.ts'
import { RankIteration, type Teleport } from './kernel/rank-iteration.ts'
import { nowhere, PartLinks } from './part-links.ts'
import { BadPart } from './rank-error.ts'
import {
  decodeTargets,
  decodeValues,
  encodeTargets,
  encodeValues,
  type PartCounts,
  partCounts,
} from './rank-messages.ts'
import type { Pieces, RankExchange, RankParts, RankSource, RankTerms } from './rank-parts.ts'
import { SeedShares } from './seed-shares.ts'
import { ToldValues } from './value-coding.ts'

interface Needs {
  readonly parts: RankParts
  readonly exchange: RankExchange
  readonly source: RankSource
  /** The rank to start with, where one is known. */
  startOf?(href: string): number | undefined
  breathe(): Promise<void>
}

export interface RankResult {
  readonly links: PartLinks
  /** By the numbers of their names. */
  readonly ranks: Float64Array
  readonly iterations: number
  /** Of all parts, by the last iteration. */
  readonly change: number
  /** Of all parts. */
  readonly pages: number
}

/** Rounding may add so much to a change, at most: half of it each way for each value told. */
const roundingShare = 0.05
const linksPerPause = 200_000
const namesPerPause = 2_000
const iterationsMax = 1_000
/** What a part gives is a share of all ranks. */
const givenMax = 4
const roundingMax = 1e-6

interface OtherPart {
  readonly number: number
  readonly firstRow: number
  /** What our pages give to those of it. */
  readonly told: ToldValues
  /** What its pages give to ours, and to which. */
  readonly heard: ToldValues
  readonly pages: Uint32Array
}

interface Totals {
  flowing: number
  change: number
}

export class RankRun {
  readonly #needs: Needs
  readonly #terms: RankTerms
  readonly #links: PartLinks
  #iteration: RankIteration | undefined

  constructor(needs: Needs, terms: RankTerms) {
    this.#needs = needs
    this.#terms = terms
    this.#links = new PartLinks(needs.parts)
  }

  /** So far, for whoever goes on when this run cannot. */
  rankOf(href: string): number | undefined {
    const page = this.#iteration && this.#links.names.numberOf(href)
    return page === undefined ? undefined : this.#iteration!.ranks[page]
  }

  async run(): Promise<RankResult> {
    const { source, breathe, exchange } = this.#needs
    await this.#links.gather(source, breathe)
    const told = this.#others((part) => [...encodeTargets(this.#links.targetsOf(part))])
    const pagesNamed = await this.#name(await exchange.swap(0, told))
    const seeds = new SeedShares(this.#links, this.#terms.seeds)
    const all = await this.#count(seeds.found)
    const { matrix, firstRows } = this.#links.matrix()
    const others = pagesNamed.flatMap((pages, number): OtherPart[] => {
      if (number === this.#needs.parts.self) return []
      const told = new ToldValues(this.#links.targetsOf(number).count)
      return [{ number, firstRow: firstRows[number]!, told, heard: new ToldValues(pages.length), pages }]
    })
    const teleport = { shares: seeds.shares(all.seeds), even: all.pages === 0 ? 0 : 1 / all.pages }
    const ranks = await this.#start(matrix.pages, teleport)
    this.#iteration = new RankIteration(matrix, ranks, this.#terms.damping, teleport)
    const end = await this.#iterate(this.#iteration, others, all)
    return { links: this.#links, ranks, pages: all.pages, ...end }
  }

  /** By part: the numbers of our pages that it links to, in its order. */
  async #name(heard: readonly Pieces[]): Promise<readonly Uint32Array[]> {
    const numbers: Uint32Array[] = []
    let named = 0
    for (const [part, pieces] of heard.entries()) {
      const list: number[] = []
      for (const piece of pieces)
        for (const href of this.#checked(part, () => decodeTargets(piece))) {
          list.push(this.#links.named(href))
          if (++named % namesPerPause === 0) await this.#needs.breathe()
        }
      numbers.push(Uint32Array.from(list))
    }
    return numbers
  }

  async #count(seeds: number): Promise<PartCounts> {
    const { exchange, parts } = this.#needs
    let pairs = 0
    for (let part = 0; part < parts.count; part++)
      if (part !== parts.self) pairs += this.#links.targetsOf(part).count
    const own = { pages: this.#links.names.count, seeds, pairs }
    const told = partCounts.encode(own)
    const heard = await exchange.swap(
      1,
      this.#others(() => [told]),
    )
    const all = { ...own }
    for (const [part, pieces] of heard.entries()) {
      if (part === parts.self) continue
      const counts = this.#checked(part, () => partCounts.decode(pieces[0] ?? new Uint8Array()))
      all.pages += counts.pages
      all.seeds += counts.seeds
      all.pairs += counts.pairs
    }
    return all
  }

  async #start(pages: number, { shares, even }: Teleport): Promise<Float64Array> {
    const { startOf, breathe } = this.#needs
    const ranks = new Float64Array(pages)
    for (let page = 0; page < pages; page++) {
      const known = startOf?.(this.#links.names.nameOf(page))
      ranks[page] = known ?? shares?.[page] ?? even
      if (page % namesPerPause === namesPerPause - 1) await breathe()
    }
    return ranks
  }

  async #iterate(iteration: RankIteration, others: readonly OtherPart[], { pairs }: PartCounts) {
    const { exchange } = this.#needs
    const { tolerance } = this.#terms
    let ownChange = 0
    /** Of all, by the iteration before the last: what is known when values are told. */
    let knownChange: number | undefined
    for (let iterations = 0; ; iterations++) {
      const flowing = iteration.share()
      for (let target = 0; target < iteration.matrix.targets.length; ) {
        target = iteration.sum(target, linksPerPause)
        await this.#needs.breathe()
      }
      const quantum = knownChange === undefined ? 0 : (roundingShare * knownChange) / Math.max(1, pairs)
      const told = this.#told(iteration, others, { flowing, change: ownChange, quantum })
      const heard = await exchange.swap(iterations + 2, told)
      const totals = { flowing: 0, change: 0 }
      for (let part = 0; part < this.#needs.parts.count; part++) {
        const other = others.find(({ number }) => number === part)
        if (other === undefined) add(totals, { flowing, change: ownChange })
        else add(totals, this.#hear(other, heard[part]!, iteration.sums))
      }
      // Everybody has the same total, and stops here.
      if ((iterations > 0 && totals.change <= tolerance) || iterations === iterationsMax)
        return { iterations, change: totals.change }
      if (iterations > 0) knownChange = totals.change
      ownChange = iteration.finish(totals.flowing)
    }
  }

  #told(iteration: RankIteration, others: readonly OtherPart[], head: Parameters<typeof encodeValues>[0]) {
    const told: Pieces[] = Array.from({ length: this.#needs.parts.count }, () => [])
    for (const { number, firstRow, told: values } of others) {
      const sums = iteration.sums.subarray(firstRow, firstRow + values.values.length)
      told[number] = encodeValues(head, values.encode(sums, head.quantum))
    }
    return told
  }

  /** Adds what the part's pages give to ours. */
  #hear({ number, heard, pages }: OtherPart, pieces: Pieces, sums: Float64Array): Totals {
    return this.#checked(number, () => {
      const { flowing, change, quantum, bytes } = decodeValues(pieces)
      heard.decode(bytes, quantum)
      let given = 0
      for (let slot = 0; slot < pages.length; slot++) {
        const value = heard.values[slot]!
        if (!(value >= -roundingMax)) throw new MessageMalformed('a page gives less than nothing')
        given += value
        if (pages[slot] !== nowhere) sums[pages[slot]!]! += value
      }
      if (!(given <= givenMax)) throw new MessageMalformed('its pages give more than there is')
      return { flowing, change }
    })
  }

  #checked<T>(part: number, read: () => T): T {
    try {
      return read()
    } catch (error) {
      if (error instanceof MessageMalformed) throw new BadPart(part, error.message, error)
      throw error
    }
  }

  /** By part; what is made for ourselves is empty. */
  #others(make: (part: number) => Pieces): Pieces[] {
    const { self, count } = this.#needs.parts
    return Array.from({ length: count }, (_, part) => (part === self ? [] : make(part)))
  }
}

function add(totals: Totals, { flowing, change }: Totals): void {
  totals.flowing += flowing
  totals.change += change
}
