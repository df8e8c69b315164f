// Sent lately: the links given to the outbox not long ago, per job, so that what every page links to is not sent again and
// again. A link found nearer to a seed than before is another: the owner may follow it further.
//
// Invariant: what it says was sent is safe in the outbox or has been acknowledged: links are put in one transaction with
// their places in the outbox, and count only once that was flushed. Bounded: two generations of `linksMax`, the older
// forgotten whole; a link met again moves to the younger. By 64 bits of a hash: one in 10^13 is taken for another.
//
// On disk a list of hashes for each transaction, in order, so that writing it costs next to nothing.

import { hash } from 'node:crypto'
import type { KeyValue, Table } from '../../../platform/storage/key-value.ts'
import type { ForwardedLink } from '../forwarded-link.ts'
import { HashGeneration, numberMax } from './hash-generation.ts'

/** High and low half of the hash, depth. */
const recordBytes = 9
/** Lists of forgotten generations that each transaction removes: more than it adds. */
const removedPerPut = 4

interface Mark {
  readonly high: number
  readonly low: number
  readonly depth: number
}

/** With its hash, which is made once. */
export interface MarkedLink extends Mark {
  readonly link: ForwardedLink
}

export class RecentlySent {
  readonly #table: Table
  readonly #linksMax: number
  #young: HashGeneration
  #old: HashGeneration
  #generation = 0
  #list = 0
  /** Met again, to be written with the next ones. */
  #refreshed: Mark[] = []

  constructor(keyValue: KeyValue, linksMax: number) {
    this.#table = keyValue.table('sent')
    this.#linksMax = linksMax
    this.#young = new HashGeneration(linksMax)
    // Nothing is ever put into the old one.
    this.#old = new HashGeneration(1)
    this.#load()
  }

  has({ high, low, depth }: MarkedLink): boolean {
    const inYoung = this.#young.get(high, low)
    if (inYoung !== undefined) return inYoung <= depth
    const inOld = this.#old.get(high, low)
    if (inOld === undefined || inOld > depth) return false
    const again = { high, low, depth: inOld }
    this.#refreshed.push(again)
    this.#add([again])
    return true
  }

  /** Of these each one once that was not sent lately. */
  each(links: readonly MarkedLink[]): MarkedLink[] {
    const depths = new Map<string, number>()
    return links.filter((link) => {
      const { high, low, depth } = link
      const name = `${high} ${low}`
      if (this.has(link) || (depths.get(name) ?? Number.POSITIVE_INFINITY) <= depth) return false
      depths.set(name, depth)
      return true
    })
  }

  /** Inside a transaction. What it gives is to be called once that was flushed. */
  put(links: readonly MarkedLink[]): () => void {
    this.#table.put(keyOf(this.#generation, this.#list++), written([...links, ...this.#refreshed]))
    // Should the transaction not happen, then those that were met again are forgotten a generation sooner.
    this.#refreshed = []
    this.#removeForgotten()
    return () => this.#add(links)
  }

  #add(marks: readonly Mark[]): void {
    for (const { high, low, depth } of marks) {
      if (this.#young.isFull) this.#turnOver()
      this.#young.put(high, low, depth)
    }
  }

  #turnOver(): void {
    this.#old = this.#young
    this.#young = new HashGeneration(this.#linksMax)
    this.#generation++
  }

  #removeForgotten(): void {
    if (this.#generation < 2) return
    const to = keyOf(this.#generation - 1, 0)
    for (const [key] of this.#table.range({ to, limit: removedPerPut })) this.#table.remove(key)
  }

  #load(): void {
    for (const [key, value] of this.#table.range()) {
      const bytes = Buffer.from(value)
      const [generation, list] = readKey(key)
      this.#list = list + 1
      if (generation > this.#generation) {
        this.#turnOver()
        this.#generation = generation
      }
      for (let at = 0; at + recordBytes <= bytes.length; at += recordBytes) {
        if (this.#young.isFull) break
        this.#young.put(bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4), bytes[at + 8]!)
      }
    }
  }
}

export function marked(link: ForwardedLink): MarkedLink {
  const { url, jobId, kind, requisiteHops = 0, redirects = 0 } = link
  const name = `${jobId}\n${kind} ${requisiteHops} ${redirects}\n${url.href}${mentioned(link)}`
  const digest = hash('sha1', name, 'buffer')
  const depth = Math.min(numberMax, link.depth)
  return { link, high: digest.readUInt32BE(0), low: digest.readUInt32BE(4), depth }
}

/** The same link, gone and back, is told of each time. */
function mentioned({ mention }: ForwardedLink): string {
  if (mention === undefined) return ''
  const { page, relation, text, atMs, isGone } = mention
  return `\n${page}\n${relation}\n${text}\n${atMs} ${isGone}`
}

function written(marks: readonly Mark[]): Buffer {
  const bytes = Buffer.allocUnsafe(recordBytes * marks.length)
  for (const [index, { high, low, depth }] of marks.entries()) {
    bytes.writeUInt32BE(high, recordBytes * index)
    bytes.writeUInt32BE(low, recordBytes * index + 4)
    bytes[recordBytes * index + 8] = depth
  }
  return bytes
}

function keyOf(generation: number, list: number): Buffer {
  const key = Buffer.allocUnsafe(10)
  key.writeUInt32BE(generation, 0)
  key.writeUIntBE(list, 4, 6)
  return key
}

function readKey(key: Uint8Array): [generation: number, list: number] {
  const bytes = Buffer.from(key)
  return [bytes.readUInt32BE(0), bytes.readUIntBE(4, 6)]
}
