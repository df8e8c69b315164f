// Author usage: what each author has in the book, so that nobody fills the disks of all.
//
// Each author has a budget per kind. The book as a whole has one, too; once that is used up, those who have little in it may still
// write: a takedown must get through while somebody else floods.

import type { PeerId } from '../../world/network.ts'
import { sizeOf, type UnsignedNotice } from './notice.ts'
import type { NoticeKind } from './notice-kind.ts'

interface Usage {
  readonly count: number
  readonly bytes: number
}

/** What an author may have although the book is full. */
const littleBytes = 256 * 1024
/** Several kinds together. */
const authorBytesMax = 16 * 1024 * 1024

export class AuthorUsage {
  readonly #bookBytesMax: number
  readonly #byKind = new Map<string, Usage>()
  readonly #bytesByAuthor = new Map<PeerId, number>()
  #bytes = 0

  constructor(bookBytesMax: number) {
    this.#bookBytesMax = bookBytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  add(author: PeerId, notice: UnsignedNotice): void {
    this.#change(author, notice, 1)
  }

  remove(author: PeerId, notice: UnsignedNotice): void {
    this.#change(author, notice, -1)
  }

  /** Why there is no room for it. What it replaces is removed already. */
  lackFor(author: PeerId, notice: UnsignedNotice, kind: NoticeKind): string | undefined {
    const size = sizeOf(notice)
    const { count, bytes } = this.#byKind.get(`${notice.kind} ${author}`) ?? { count: 0, bytes: 0 }
    if (count + 1 > kind.countMax) return `its author has ${count} of its kind, which is the most`
    if (bytes + size > kind.bytesMax) return `its author has ${bytes} bytes of its kind, which is the most`
    const own = (this.#bytesByAuthor.get(author) ?? 0) + size
    if (own > authorBytesMax) return `its author has ${own - size} bytes of notices, which is the most`
    if (this.#bytes + size > this.#bookBytesMax && own > littleBytes) return 'there is no room for notices'
    return undefined
  }

  #change(author: PeerId, notice: UnsignedNotice, sign: 1 | -1): void {
    const size = sign * sizeOf(notice)
    const name = `${notice.kind} ${author}`
    const before = this.#byKind.get(name) ?? { count: 0, bytes: 0 }
    const usage = { count: before.count + sign, bytes: before.bytes + size }
    if (usage.count > 0) this.#byKind.set(name, usage)
    else this.#byKind.delete(name)
    this.#bytes += size
    const bytes = (this.#bytesByAuthor.get(author) ?? 0) + size
    if (bytes > 0) this.#bytesByAuthor.set(author, bytes)
    else this.#bytesByAuthor.delete(author)
  }
}
