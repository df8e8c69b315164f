// Columns: what queries ask of every document of a segment, in memory: to which page and site it belongs, when it was current,
// how long it is. 53 bytes a document.
//
// What changes later (a newer version came, the page is gone) is changed here, and noted by the index as a mark (search-index.ts)
// until the segment is merged.

import { documentTypes } from '../text/page-text.ts'
import { damaged } from './sealed-bytes.ts'

export const isAliveFlag = 1
/** It is the newest text of its page. */
export const isNewestFlag = 2
/** It was not current all the time between its first and its last. */
export const hasGapsFlag = 4

/** A byte each. */
const languagesMax = 255

/** What is known of a document when it is added. */
export interface DocumentFacts {
  readonly id: number
  /** Of its page: 48 bits of a digest. */
  readonly page: number
  readonly site: string
  readonly language: string
  readonly type: string
  readonly length: number
}

export interface DocumentState {
  readonly flags: number
  readonly fromMs: number
  /** Of the last capture that showed it. */
  readonly lastMs: number
  /** Not any more at that time. */
  readonly toMs: number
}

export class Columns {
  readonly count: number
  readonly ids: Float64Array
  readonly pages: Float64Array
  readonly fromMs: Float64Array
  readonly lastMs: Float64Array
  readonly toMs: Float64Array
  readonly sites: Uint32Array
  readonly lengths: Uint16Array
  readonly languages: Uint8Array
  readonly types: Uint8Array
  readonly flags: Uint8Array
  readonly siteNames: string[]
  readonly languageNames: string[]

  private constructor(count: number, siteNames: string[], languageNames: string[]) {
    this.count = count
    this.ids = new Float64Array(count)
    this.pages = new Float64Array(count)
    this.fromMs = new Float64Array(count)
    this.lastMs = new Float64Array(count)
    this.toMs = new Float64Array(count)
    this.sites = new Uint32Array(count)
    this.lengths = new Uint16Array(count)
    this.languages = new Uint8Array(count)
    this.types = new Uint8Array(count)
    this.flags = new Uint8Array(count)
    this.siteNames = siteNames
    this.languageNames = languageNames
  }

  static of(documents: readonly (DocumentFacts & DocumentState)[]): Columns {
    const columns = new Columns(documents.length, [], [])
    const [sites, languages] = [new Map<string, number>(), new Map<string, number>()]
    for (const [index, document] of documents.entries()) {
      columns.ids[index] = document.id
      columns.pages[index] = document.page
      columns.lengths[index] = document.length
      columns.sites[index] = numberOf(document.site, sites, columns.siteNames, 2 ** 32)
      columns.languages[index] = numberOf(document.language, languages, columns.languageNames, languagesMax)
      columns.types[index] = Math.max(0, documentTypes.indexOf(document.type as 'html'))
      columns.set(index, document)
    }
    return columns
  }

  static decode(bytes: Buffer): Columns {
    const nameBytes = bytes.readUInt32LE(0)
    const count = bytes.readUInt32LE(4)
    const names = JSON.parse(bytes.toString('utf8', 8, 8 + nameBytes)) as {
      sites: string[]
      languages: string[]
    }
    const columns = new Columns(count, names.sites, names.languages)
    let at = 8 + nameBytes
    for (const column of columns.#all) {
      if (at + column.byteLength > bytes.length) throw damaged()
      new Uint8Array(column.buffer).set(bytes.subarray(at, at + column.byteLength))
      at += column.byteLength
    }
    return columns
  }

  encode(): Buffer {
    const names = Buffer.from(JSON.stringify({ sites: this.siteNames, languages: this.languageNames }))
    const head = Buffer.alloc(8)
    head.writeUInt32LE(names.length, 0)
    head.writeUInt32LE(this.count, 4)
    return Buffer.concat([head, names, ...this.#all.map((column) => new Uint8Array(column.buffer))])
  }

  set(index: number, { flags, fromMs, lastMs, toMs }: DocumentState): void {
    this.flags[index] = flags
    this.fromMs[index] = fromMs
    this.lastMs[index] = lastMs
    this.toMs[index] = toMs
  }

  /** By its id; they ascend. -1 where it is not here. */
  indexOf(id: number): number {
    let [low, high] = [0, this.count - 1]
    while (low <= high) {
      const middle = (low + high) >>> 1
      const found = this.ids[middle]!
      if (found === id) return middle
      if (found < id) low = middle + 1
      else high = middle - 1
    }
    return -1
  }

  factsOf(index: number): DocumentFacts & DocumentState {
    return {
      id: this.ids[index]!,
      page: this.pages[index]!,
      site: this.siteNames[this.sites[index]!] ?? '',
      language: this.languageNames[this.languages[index]!] ?? '',
      type: documentTypes[this.types[index]!] ?? 'html',
      length: this.lengths[index]!,
      flags: this.flags[index]!,
      fromMs: this.fromMs[index]!,
      lastMs: this.lastMs[index]!,
      toMs: this.toMs[index]!,
    }
  }

  get #all() {
    const { ids, pages, fromMs, lastMs, toMs, sites, lengths, languages, types, flags } = this
    return [ids, pages, fromMs, lastMs, toMs, sites, lengths, languages, types, flags]
  }
}

/** What is more counts as the first. */
function numberOf(name: string, numbers: Map<string, number>, names: string[], max: number): number {
  const known = numbers.get(name)
  if (known !== undefined) return known
  if (names.length === max) return 0
  const number = names.push(name) - 1
  numbers.set(name, number)
  return number
}
