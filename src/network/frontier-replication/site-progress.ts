// Site progress: replication of one site to one member: the changes that it has not acknowledged, or a full copy that is being
// made for it.
//
// Invariants: changes are merged by name, the newest wins, and changes that were sent and not acknowledged are sent again below
// newer ones. A copy is read while the site keeps changing: its last part brings all changes since reading began, after
// everything that was read is committed.

import { compare, type LogPosition } from './log-position.ts'
import { clearMark, type SiteFrontier, type SiteId, type Value } from './site-frontier.ts'
import { bytesOf, type Load, type SiteBatch } from './wire/site-batch.ts'

export interface Tenure {
  readonly epoch: number
  /** The epoch in which the site was taken over. */
  readonly since: number
  readonly established: number
}

type Entries = Map<string, Value | null>

interface Copy {
  readonly number: number
  parts: number
  next: string | undefined
  /** The part that was sent last, until it is answered. */
  unanswered: Part | undefined
}

interface Part {
  readonly load: Load
  readonly entries: SiteBatch['entries']
}

export class SiteProgress {
  readonly site: SiteId
  tenure: Tenure
  /** What the member has acknowledged. */
  acked: LogPosition | undefined
  #after: LogPosition
  #upTo: LogPosition
  #changes: Entries = new Map()
  #bytes = 0
  #unanswered:
    | { readonly after: LogPosition; readonly upTo: LogPosition; readonly changes: Entries }
    | undefined
  #copy: Copy | undefined
  /** The member refused the last batch for now, and may accept it later. */
  isPutOff = false
  /** A copy is to be made. */
  needsCopy = false
  /** There is something to send, even without changes. */
  #isTouched = true

  constructor(site: SiteId, tenure: Tenure, after: LogPosition) {
    this.site = site
    this.tenure = tenure
    this.#after = after
    this.#upTo = after
  }

  get bytes(): number {
    return this.#bytes
  }

  get isDue(): boolean {
    return this.needsCopy || this.#isTouched || this.#changes.size > 0 || this.#unanswered !== undefined
  }

  get isCopying(): boolean {
    return this.needsCopy
  }

  note(position: LogPosition, entries: ReadonlyMap<string, Value | null>): void {
    this.#upTo = position
    this.#isTouched = true
    // Until reading begins, it will be read.
    if (this.needsCopy && this.#copy === undefined) return
    for (const [name, value] of entries) {
      this.#bytes += name.length + bytesOf(value)
      lay(this.#changes, name, value)
    }
  }

  touch(): void {
    this.#isTouched = true
  }

  /** Starts a full copy: the member has fallen behind, or too many changes wait. */
  beginCopy(): void {
    this.needsCopy = true
    this.#copy = undefined
    this.#unanswered = undefined
    this.#forgetChanges()
  }

  /** The changes, including those that were sent and not acknowledged. */
  changes(): SiteBatch {
    if (this.#unanswered !== undefined) {
      const { changes } = this.#unanswered
      for (const [name, value] of this.#changes) lay(changes, name, value)
      this.#changes = changes
      this.#after = this.#unanswered.after
    }
    const sent = { after: this.#after, upTo: this.#upTo, changes: this.#changes }
    this.#unanswered = sent
    this.#after = sent.upTo
    this.#forgetChanges()
    this.#isTouched = false
    return this.#siteBatch({ kind: 'changes', after: sent.after, upTo: sent.upTo }, [...sent.changes])
  }

  /** The next part of the copy; `number` identifies the copy. */
  async part(frontier: SiteFrontier, number: number, bytesMax: number): Promise<SiteBatch> {
    this.#copy ??= { number, parts: 0, next: undefined, unanswered: undefined }
    const copy = this.#copy
    const part = copy.unanswered ?? (await this.#read(frontier, copy, bytesMax))
    copy.unanswered = part
    return this.#siteBatch(part.load, part.entries)
  }

  async #read(frontier: SiteFrontier, copy: Copy, bytesMax: number): Promise<Part> {
    const index = copy.parts++
    const isRead = index > 0 && copy.next === undefined
    const { entries, next } = isRead
      ? { entries: [], next: undefined }
      : frontier.read(this.site, copy.next, bytesMax)
    copy.next = next
    if (next !== undefined) return { load: partOf(copy, index, undefined), entries }
    await frontier.committed()
    const all = [...entries, ...this.#changes]
    // A site that changes faster than this continues in parts.
    const upTo = this.#bytes > 4 * bytesMax ? undefined : this.#upTo
    this.#forgetChanges()
    this.#isTouched = false
    return { load: partOf(copy, index, upTo), entries: all }
  }

  /** The member has taken what was sent last. */
  acknowledge(load: Load): void {
    if (load.upTo !== undefined) this.#reached(load.upTo)
    if (load.kind === 'changes') {
      if (this.#unanswered !== undefined && compare(this.#unanswered.upTo, load.upTo) === 0)
        this.#unanswered = undefined
      return
    }
    if (this.#copy?.number !== load.copy) return
    this.#copy.unanswered = undefined
    if (load.upTo === undefined) return
    this.#copy = undefined
    this.needsCopy = false
    this.#after = load.upTo
  }

  #reached(position: LogPosition): void {
    if (this.acked === undefined || compare(this.acked, position) < 0) this.acked = position
  }

  #forgetChanges(): void {
    this.#changes = new Map()
    this.#bytes = 0
  }

  #siteBatch(load: Load, entries: SiteBatch['entries']): SiteBatch {
    return { site: this.site, ...this.tenure, load, entries }
  }
}

/** On top of what has changed before. */
function lay(changes: Entries, name: string, value: Value | null): void {
  if (name.startsWith(clearMark)) {
    const gone = name.slice(clearMark.length)
    for (const other of changes.keys()) if (other.startsWith(gone)) changes.delete(other)
    // It stands before what comes after it.
    changes.delete(name)
  }
  changes.set(name, value)
}

function partOf({ number }: Copy, index: number, upTo: LogPosition | undefined): Load {
  return { kind: 'copy', copy: number, index, upTo }
}
