// Chooses what callers do next: new pages, edits of old ones, duplicates, repeats, puts and deletes, and now and then
// a takedown or its release, a sealed volume or a folder that becomes read-only.
//
// Invariant: the same chance and the same calls give the same operations. No two captures of a URL share a moment, unless one
// repeats the other.

import type { Random } from '../../src/platform/random.ts'
import type { AppendOperation, Body, Operation } from './operation.ts'

export interface OperationPlanOptions {
  /** The moment of the first capture: later plans for the same store must start later. */
  startMs: number
  pageBytesMax: number
  /** Bytes of an answer too large for memory; 0: none. */
  largeBytes: number
  /** Volume folders beside the store's own. */
  folders: readonly string[]
}

const urlCount = 40
/** Few: what is taken down may come back. */
const takenCount = 25
const takenPrefix = 'http://taken.example/'
const pageCount = 60
const putPageCount = 20

export class OperationPlan {
  readonly #random: Random
  readonly #options: OperationPlanOptions
  readonly #last = new Map<string, AppendOperation>()
  readonly #taken: string[] = []
  #nextMs: number

  constructor(random: Random, options: OperationPlanOptions) {
    this.#random = random
    this.#options = options
    this.#nextMs = options.startMs
  }

  next(): Operation {
    const drawn = this.#random.below(1_000)
    if (drawn < 700) return this.#append()
    if (drawn < 820) return { kind: 'put', body: this.#putBody(), folder: this.#folder() }
    if (drawn < 920) return { kind: 'delete', body: this.#putBody() }
    if (drawn < 935) return this.#takedown()
    if (drawn < 955) return this.#release()
    if (drawn < 960) return { kind: 'seal' }
    if (drawn < 970) return { kind: 'compact' }
    if (drawn < 980) return this.#setFolder()
    return this.#again()
  }

  /** Told of what was kept, so that it can be repeated and revisited. */
  kept(operation: Operation): void {
    if (operation.kind === 'append') this.#last.set(operation.url, operation)
  }

  #takedown(): Operation {
    const kept = [...this.#last.keys()].filter((url) => url.startsWith(takenPrefix))
    const url = kept[this.#random.below(2 * kept.length || 1)] ?? this.#someTaken()
    this.#taken.push(url)
    return { kind: 'takedown', url }
  }

  /** Mostly of what was taken down lately. */
  #release(): Operation {
    const lately = this.#taken.slice(-10)
    const url = lately[this.#random.below(lately.length || 1)]
    return { kind: 'release', url: url ?? this.#someTaken() }
  }

  #someTaken(): string {
    return `${takenPrefix}${this.#random.below(takenCount)}`
  }

  #append(): AppendOperation {
    const random = this.#random
    const isOnTaken = random.below(5) === 0
    const host = isOnTaken ? 'taken.example' : `site${random.below(4)}.example`
    const url = `http://${host}/${random.below(isOnTaken ? takenCount : urlCount)}`
    const shared = {
      kind: 'append' as const,
      url,
      capturedAtMs: this.#nextMs++,
      hasCompanions: random.below(3) === 0,
      folder: this.#folder(),
    }
    const last = this.#last.get(url)
    const chance = random.below(100)
    if (last !== undefined && chance < 15)
      return { ...shared, body: last.body, notModifiedSinceMs: last.capturedAtMs }
    if (last !== undefined && chance < 55)
      return { ...shared, body: { ...last.body, edit: this.#nextMs % 100_000 } }
    if (chance < 60 && this.#options.largeBytes > 0) {
      const body = { page: 900 + random.below(3), bytes: this.#options.largeBytes, edit: 0 }
      return { ...shared, body, isLarge: true }
    }
    // Pages above are also put by themselves, and must keep the first key of their digest.
    const page = random.below(pageCount)
    const mode =
      page >= putPageCount ? ([undefined, 'compare', 'force-new'] as const)[random.below(3)] : undefined
    return { ...shared, body: this.#body(page), mode }
  }

  /** The very same capture once more. */
  #again(): Operation {
    const all = [...this.#last.values()]
    return all.length === 0 ? this.#append() : { ...all[this.#random.below(all.length)]!, folder: undefined }
  }

  #putBody(): Body {
    return this.#body(this.#random.below(putPageCount))
  }

  #body(page: number): Body {
    return { page, bytes: 400 + ((page * 7_919) % this.#options.pageBytesMax), edit: 0 }
  }

  #folder(): string | undefined {
    const { folders } = this.#options
    return folders.length > 0 && this.#random.below(8) === 0
      ? folders[this.#random.below(folders.length)]
      : undefined
  }

  #setFolder(): Operation {
    const { folders } = this.#options
    if (folders.length === 0) return { kind: 'seal' }
    const path = folders[this.#random.below(folders.length)]!
    return { kind: 'set-folder', path, mode: this.#random.below(3) === 0 ? 'read-only' : 'writable' }
  }
}
