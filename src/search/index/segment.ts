// Segment: some documents with their terms, written once. Documents are numbered from 0 within it.

import type { LruCache } from '../../model/lru-cache.ts'
import type { Table } from '../../platform/storage/key-value.ts'
import type { Columns } from './columns.ts'
import type { PostingList } from './posting-list.ts'
import { findTerm, postingsOf } from './term-blocks.ts'

/** Of all segments of an index. */
export type PostingCache = LruCache<string, PostingList | 'none'>

export class Segment {
  readonly number: number
  readonly columns: Columns
  readonly #blocks: Table
  readonly #cache: PostingCache

  constructor(number: number, columns: Columns, needs: { blocks: Table; cache: PostingCache }) {
    this.number = number
    this.columns = columns
    this.#blocks = needs.blocks
    this.#cache = needs.cache
  }

  postings(term: string): PostingList | undefined {
    const name = `${this.number} ${term}`
    const known = this.#cache.get(name)
    if (known !== undefined) return known === 'none' ? undefined : known
    const coded = findTerm(this.#blocks, this.number, term)
    const list = coded && postingsOf(coded)
    this.#cache.set(name, list ?? 'none')
    return list
  }
}
